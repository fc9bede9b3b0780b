import type { RunState } from '@cueline/core';

/** How long the run waited for the model and for its tools, in milliseconds. Calls side by side count once. */
export function runTimes({ steps, toolCalls, elapsed }: RunState): { model: number; tools: number } {
  const spans = toolCalls
    .flatMap(({ startedAt, finishedAt = elapsed }) =>
      startedAt === undefined ? [] : [[startedAt, finishedAt]],
    )
    .toSorted(([a = 0], [b = 0]) => a - b);
  let [tools, until] = [0, 0];
  for (const [from = 0, to = 0] of spans) {
    tools += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  const all = steps.reduce((sum, { startedAt, finishedAt = elapsed }) => sum + finishedAt - startedAt, 0);
  return { model: Math.max(0, all - tools), tools };
}
