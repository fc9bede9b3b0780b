import type { RunLog } from '../../log/run-log.ts';

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

/** Records the tool calls of one agent. `calls` are all of them so far, in order. */
export function traceCalls(
  log: RunLog,
  path: string | undefined,
): { readonly calls: readonly CallTrace[]; end(): void } {
  const calls: CallTrace[] = [];
  /** The last call of an id, because models may number their calls anew in every answer. */
  const byId = new Map<string, CallTrace>();
  const end = log.listen((event) => {
    if (event.agent !== path) return;
    if (event.type === 'tool-input-end') {
      const { toolCallId, toolName, input, invalid } = event;
      const call: CallTrace = {
        toolCallId,
        toolName,
        input,
        ...(invalid === undefined ? {} : { error: invalid }),
      };
      calls.push(call);
      byId.set(toolCallId, call);
      return;
    }
    const call = 'toolCallId' in event ? byId.get(event.toolCallId) : undefined;
    if (call === undefined) return;
    if (event.type === 'tool-error') call.error = event.error;
    else if (event.type === 'tool-end') {
      call.output = event.output;
      if (event.repeated) call.repeated = true;
    }
  });
  return { calls, end };
}
