import type { RunEvent } from '../log/events.ts';
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
 * Records the tool calls of one agent from its log, including those of other processes. `calls` are all of them so
 * far, in order. `onEnd` is called with each call that ends; `isInvalid` is true if it could not run.
 */
export function recordToolCalls(
  { runContext, path, past }: AgentContext,
  onEnd?: (call: CallTrace, isInvalid: boolean) => void,
): { readonly calls: readonly CallTrace[]; end(): void } {
  const calls: CallTrace[] = [];
  /** The last call of an id, because models may number their calls anew in every answer. */
  const byId = new Map<string, CallTrace>();
  /** The number of calls before the current step. */
  let before = 0;
  const read = (event: RunEvent, onEnd?: (call: CallTrace, isInvalid: boolean) => void): void => {
    if (event.type === 'step-start') before = calls.length;
    // the step is void
    if (event.type === 'retry' && event.attempt === undefined) calls.length = before;
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
  };
  for (const event of past?.events ?? []) if (event.agent === undefined) read(event);
  const end = runContext.log.listen((event) => {
    if (event.agent === path) read(event, onEnd);
  });
  return { calls, end };
}
