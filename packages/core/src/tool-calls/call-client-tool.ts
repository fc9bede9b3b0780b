import type { FlexibleSchema } from 'ai';
import { thrownText } from '../base/error-source.ts';
import { toJson } from '../messages/to-json.ts';
import { toModelError } from '../tools/model-error.ts';
import { parseWith } from '../tools/schema.ts';
import type { ToolContext, ToolRules } from '../tools/tool-types.ts';
import type { AgentContext } from './run-context.ts';

/** A call of a client tool. */
export type ClientToolCall = {
  name: string;
  rules: ToolRules;
  outputSchema: FlexibleSchema | undefined;
  args: unknown;
  context: ToolContext;
};

/** Lets the page run a call, and returns its result. Throws an error that the model reads if the call fails. */
export async function callClientTool(
  { runContext, path }: AgentContext,
  { name, rules, outputSchema, args, context }: ClientToolCall,
  onClaim: () => void,
): Promise<unknown> {
  const { toolCallId, abortSignal } = context;
  const { effect, idempotent } = rules;
  const request = {
    toolCallId,
    toolName: name,
    input: toJson(args, runContext.secrets),
    ...(effect === undefined ? {} : { effect }),
    ...(idempotent === true ? { idempotent } : {}),
  };
  const response = await runContext.pending.callClientTool(request, abortSignal, path, onClaim);
  if ('error' in response) throw toModelError(response.error);
  if (outputSchema === undefined) return response.output;
  try {
    return await parseWith(outputSchema, response.output);
  } catch (error) {
    const why = thrownText(error);
    throw toModelError(
      `The page ran ${name}, but what it returned does not fit the tool's outputSchema: ${why}`,
    );
  }
}

/** Returns the message for a call that no page has answered in time. */
export function unanswered(name: string, timeoutMs: number = Infinity): string {
  return `${name} had no response from the page within ${timeoutMs / 1_000} s. Either no page that shows the run has a function for it (usePrompt(…, { tools: { ${name}: async (input) => … } })), or its user did not respond.`;
}
