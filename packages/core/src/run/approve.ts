import type { FlexibleSchema } from 'ai';
import { needsApproval } from '../prompt/needs-approval.ts';
import { parseWith, type ToolContext, type ToolRules } from '../prompt/tool-definition.ts';
import { toJson } from './to-json.ts';
import type { Speaker } from './tree.ts';

class Refusal extends Error {
  // an error's name is put before what the model reads, and a person who says no is no error
  override readonly name = '';
}

/** True for what is thrown where somebody refused a call. */
export function isRefusal(error: unknown): error is Error {
  return error instanceof Refusal;
}

/** A tool call that may need somebody's approval. */
export type ApprovableCall = {
  toolName: string;
  rules: ToolRules;
  inputSchema: FlexibleSchema;
  args: unknown;
  context: ToolContext;
};

/**
 * The arguments with which a call may run: as they are where it needs no approval, else as whoever approves it left
 * them. Throws where it is refused, in words that the model reads.
 */
export async function approvedArguments(
  { tree, path }: Speaker,
  { toolName, rules, inputSchema, args, context }: ApprovableCall,
): Promise<unknown> {
  if (!(await needsApproval(rules, args, tree.approvedEffects))) return args;
  const { toolCallId, abortSignal } = context;
  const request = { toolCallId, toolName, input: toJson(args, tree.secrets) };
  const answer = await tree.requests.ask(request, abortSignal, path);
  if (!answer.approve) {
    const reason = answer.reason === undefined ? '' : `: ${answer.reason}`;
    throw new Refusal(`${toolName} was not run, because the user did not approve it${reason}.`);
  }
  return answer.input === undefined ? args : parseWith(inputSchema, answer.input);
}
