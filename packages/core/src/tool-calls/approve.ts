import { getErrorMessage } from '@ai-sdk/provider';
import type { FlexibleSchema } from 'ai';
import { withSource } from '../base/error-source.ts';
import { CuelineError } from '../base/errors.ts';
import { needsApproval } from '../tools/needs-approval.ts';
import { parseWith } from '../tools/schema.ts';
import type { ToolContext, ToolEffect, ToolRules } from '../tools/tool-definition.ts';
import { canonicalCall } from '../json/canonical.ts';
import { toJson } from '../messages/to-json.ts';
import type { ApprovalVerdict } from './tool-approval.ts';
import type { AgentContext } from './run-context.ts';

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
  /** What `options.toolApproval` says of the call. */
  verdict?: ApprovalVerdict | undefined;
};

/** How often somebody who approves a call may give arguments that its schema refuses. */
const MAX_TRIES = 3;

/**
 * The arguments with which a call may run: as they are where it needs no approval, else as whoever approves it left
 * them; `edited` says which those are. Where the schema refuses them, it is asked again. Throws where the call is
 * refused, in words that the model reads.
 */
export async function approvedArguments(
  { runContext, path }: AgentContext,
  { toolName, rules, inputSchema, args, context, verdict }: ApprovableCall,
): Promise<{ args: unknown; edited?: unknown }> {
  const asks =
    verdict?.asks ?? (await runContext.track(needsApproval(rules, args, runContext.approvedEffects)));
  if (!asks) return { args };
  const { toolCallId, abortSignal } = context;
  const request = { toolCallId, toolName, input: toJson(args, runContext.secrets) };
  let fault = verdict?.reason;
  for (let tries = 1; ; tries += 1) {
    const asked = fault === undefined ? request : { ...request, fault };
    const answer = await runContext.requests.ask(asked, abortSignal, path);
    if (!answer.approve) {
      const reason = answer.reason === undefined ? '' : `: ${answer.reason}`;
      throw withSource(
        new Refusal(`${toolName} was not run, because the user did not approve it${reason}.`),
        'cueline',
      );
    }
    if (answer.input === undefined || isSame(answer.input, request.input)) return { args };
    try {
      if (!(await leavesUnchanged(inputSchema, args))) throw new Error(cannotEdit);
      return { args: await parseWith(inputSchema, answer.input), edited: answer.input };
    } catch (error) {
      // a program that answers in the same way each time would be asked for ever
      if (tries === MAX_TRIES) throw error;
      fault = error instanceof Error ? error.message : getErrorMessage(error);
    }
  }
}

const cannotEdit =
  'The schema of this tool changes what it is given, so what would run is not what you wrote. Approve the call as it is, or refuse it.';

/** Whether a schema leaves what has passed it as it is. Where it does not, an edit would run as something else. */
async function leavesUnchanged(schema: FlexibleSchema, args: unknown): Promise<boolean> {
  try {
    return isSame(await parseWith(schema, args), args);
  } catch {
    return false;
  }
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalCall('', one) === canonicalCall('', other);
}

const effects: ReadonlySet<unknown> = new Set<ToolEffect>(['read', 'write', 'external']);

/** What `options.approval` asks for. @throws CuelineError `invalid_options` */
export function readApproval(approval: true | readonly ToolEffect[] | undefined): readonly ToolEffect[] {
  if (approval === undefined) return [];
  if (approval === true) return ['write', 'external'];
  if (Array.isArray(approval) && approval.every((effect) => effects.has(effect))) {
    return approval as readonly ToolEffect[];
  }
  throw new CuelineError(
    'invalid_options',
    "options.approval is true (for tools with the effect 'write' or 'external'), or a list of effects: approval: ['external'].",
  );
}
