import type { AgentContext } from '../tool-calls/run-context.ts';

/** One tool call of an agent call, as in its log. */
export type CallTrace = {
  toolCallId: string;
  toolName: string;
  input: unknown;
  /** Missing if it failed or never ended. */
  output?: unknown;
  /** Why it failed. */
  error?: string;
  /** True if it did not run: it got the result of the same call before. */
  repeated?: true;
};

/**
 * Records the tool calls of one agent from its log. `calls` are all of them so far, in order. `onEnd` is called with
 * each call that ends; `isInvalid` is true if it could not run.
 */
export function recordToolCalls(
  { runContext, path }: AgentContext,
  onEnd?: (call: CallTrace, isInvalid: boolean) => void,
): { readonly calls: readonly CallTrace[]; end(): void } {
  const calls: CallTrace[] = [];
  /** The last call of an id, because models may number their calls anew in every answer. */
  const byId = new Map<string, CallTrace>();
  const end = runContext.log.listen((event) => {
    if (event.agent !== path) return;
    if (event.type === 'tool-input-end') {
      const { toolCallId, toolName, input, invalid } = event;
      const error = invalid === undefined ? {} : { error: invalid };
      const call: CallTrace = { toolCallId, toolName, input, ...error };
      calls.push(call);
      byId.set(toolCallId, call);
    }
    if (event.type !== 'tool-end' && event.type !== 'tool-error') return;
    const call = byId.get(event.toolCallId);
    if (call === undefined) return;
    const isInvalid = call.error !== undefined;
    if (event.type === 'tool-error') call.error = event.error;
    else {
      call.output = event.output;
      if (event.repeated) call.repeated = true;
    }
    onEnd?.(call, isInvalid);
  });
  return { calls, end };
}
