import type { LanguageModelV4 } from '@ai-sdk/provider';
import { runAgentSession } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import { calls } from '../../support.ts';
import { startCpuTime } from '../../support/cpu-time.ts';
import { complete, search } from './sessions.ts';

// more than 200 model calls, while other tests start their browsers
test('with summaries, a late turn takes no longer than an early one', { timeout: 60_000 }, async () => {
  const turns = 200;
  const done = scriptedModel([complete()]);
  let asked = 0;
  const model: LanguageModelV4 = {
    ...done,
    doStream(call) {
      const isSummary = (call.tools ?? []).length === 0;
      if (!isSummary) asked += 1;
      const turn = calls(['search', { query: `${asked} ${'x'.repeat(300)}` }]);
      return scriptedModel([isSummary ? 'In short.' : asked > turns ? complete() : turn]).doStream(call);
    },
  };
  const times: number[] = [];
  let cpuTime = startCpuTime();
  const result = await runAgentSession(model, {
    systemPrompt: '',
    maxTurns: Infinity,
    tokenLimit: 3_000,
    tools: { search: { ...search, execute: async ({ query }: { query: string }) => query } },
    callbacks: {
      onTurnStart() {
        times.push(cpuTime());
        cpuTime = startCpuTime();
      },
      onMessagesUpdate() {},
    },
  });
  expect(result).toMatchObject({ completionReason: 'task_complete', totalTurns: turns + 1 });
  const median = (given: number[]): number => given.toSorted((a, b) => a - b)[given.length / 2] ?? 0;
  expect(median(times.slice(-80))).toBeLessThan(median(times.slice(10, 90)) * 1.5 + 1);
});
