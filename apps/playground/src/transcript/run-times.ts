import type { RunEvent, RunState } from '@cueline/core';

/** A time of a run, in milliseconds since it started. */
export type Span = { readonly start: number; readonly end: number };

/**
 * The times in which something waited for an answer: an approval, or a call of a client tool. In order; each ends at
 * the next event.
 */
export function answerWaits(log: readonly RunEvent[]): readonly Span[] {
  const waits: Span[] = [];
  const pending = new Set<string>();
  for (const [index, event] of log.entries()) {
    switch (event.type) {
      case 'approval-request':
        pending.add(`approval ${event.approvalId}`);
        break;
      case 'approval-response':
      case 'approval-withdraw':
        pending.delete(`approval ${event.approvalId}`);
        break;
      case 'client-tool-request':
        pending.add(`call ${event.clientCallId}`);
        break;
      case 'client-tool-response':
      case 'client-tool-withdraw':
        pending.delete(`call ${event.clientCallId}`);
        break;
      default:
    }
    const end = log[index + 1]?.t;
    if (pending.size > 0 && end !== undefined && end > event.t) waits.push({ start: event.t, end });
  }
  return waits;
}

/**
 * The times in which a call of the run itself, or of the agent at `path`, ran until the run was interrupted. A call
 * may run again once the run continues.
 */
export function interruptedSpans(
  log: readonly RunEvent[],
  path?: string,
): readonly (Span & { readonly toolCallId: string })[] {
  const spans: (Span & { toolCallId: string })[] = [];
  const running = new Map<string, number>();
  for (const event of log) {
    if (event.type === 'run-resume') {
      for (const [toolCallId, start] of running) spans.push({ toolCallId, start, end: event.t });
      running.clear();
    }
    if (event.agent !== path) continue;
    if (event.type === 'tool-start') running.set(event.toolCallId, event.t);
    if (event.type === 'tool-end' || event.type === 'tool-error') running.delete(event.toolCallId);
  }
  return spans;
}

/**
 * How long a run waited for answers, for its tools and for the model, in milliseconds. Calls side by side count once,
 * and a time in which the run also waited for an answer counts as such. The model's time includes summaries of the
 * conversation, which are agents that no tool calls.
 */
export function runTimes(
  { steps, toolCalls, agents, elapsed }: RunState,
  log: readonly RunEvent[],
): { waiting: number; tools: number; model: number } {
  const waits = answerWaits(log);
  const calls = toolCalls.flatMap(({ startedAt: start, finishedAt: end = elapsed }) =>
    start === undefined ? [] : [{ start, end }],
  );
  const spans = [...waits, ...calls, ...interruptedSpans(log)];
  const waiting = covered(waits);
  const answered = covered(spans);
  // a continued run makes the unfinished calls between two steps
  const all = covered([
    ...spans,
    ...steps.map(({ startedAt: start, finishedAt: end = elapsed }) => ({ start, end })),
    ...agents
      .flatMap((agent) => agent.steps)
      .flatMap(({ startedAt: start, finishedAt: end }) => (end === undefined ? [] : [{ start, end }])),
  ]);
  return { waiting, tools: answered - waiting, model: all - answered };
}

/** The length of the times that at least one span covers. */
function covered(spans: readonly Span[]): number {
  let [length, until] = [0, 0];
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    length += Math.max(0, end - Math.max(start, until));
    until = Math.max(until, end);
  }
  return length;
}
