import { createRun, definePrompt, type RunEvent } from '@cueline/core';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { ScriptedAnswer } from '../../src/examples/scripted-answer.ts';
import { continueAnswers } from '../../src/model/played-answers.ts';
import { scriptedModelOf } from '../../src/model/scripted-model.ts';

const call = (name: string, input: unknown) => ({ toolCall: { name, input } });
const scriptedAnswers: ScriptedAnswer[] = [
  [call('helper', {}), call('look', { what: 'left' })],
  { when: /You help/, turn: 'I have helped.' },
  [call('look', { what: 'right' })],
  'All seen.',
];
const prompt = definePrompt('scripted', (own) => {
  own.defAgent('helper', 'Helps', z.object({}), (_input, agent) => {
    agent.defSystem('role', 'You help.');
    agent.$`Help.`;
  });
  own.defTool('look', 'Looks', z.object({ what: z.string() }), ({ what }) => what);
  own.$`Look.`;
});

async function played(): Promise<readonly RunEvent[]> {
  const run = createRun(prompt, { model: scriptedModelOf(scriptedAnswers, { hurried: true }) });
  await run.start();
  return run.log();
}

const before = (log: readonly RunEvent[], step: number): readonly RunEvent[] =>
  log.slice(
    0,
    log.findIndex(({ type, agent, ...event }) => {
      return type === 'step-start' && agent === undefined && 'step' in event && event.step === step;
    }),
  );

test('the scripted answers of kept steps are not played again, including those of agents', async () => {
  const log = await played();
  expect(continueAnswers(scriptedAnswers, before(log, 1))?.played).toEqual([0, 1]);
  expect(continueAnswers(scriptedAnswers, before(log, 2))?.played).toEqual([0, 1, 2]);
  const play = continueAnswers(scriptedAnswers, before(log, 1))!;
  const model = scriptedModelOf(play.scriptedAnswers, { hurried: true, played: play.played });
  const fork = createRun(prompt, { model, log });
  expect(await fork.retry({ from: 1 })).toBe('All seen.');
  expect(fork.getState().toolCalls.map(({ toolCallId }) => toolCallId)).toEqual([
    'call-0-0',
    'call-0-1',
    'call-2-0',
  ]);
});

test('the scripted answers no longer fit after an edit, another model or a reply', async () => {
  const log = before(await played(), 1);
  const change = (patch: (event: RunEvent) => object): RunEvent[] =>
    log.map((event) => ({ ...event, ...patch(event) }));
  const edited = change(({ type }) => (type === 'tool-end' ? { edited: true } : {}));
  const other = change(({ type }) => (type === 'run-start' ? { model: 'openai:gpt' } : {}));
  const replied = change(({ type }) => (type === 'run-start' ? { turns: 1 } : {}));
  for (const events of [edited, other, replied, []])
    expect(continueAnswers(scriptedAnswers, events)).toBeUndefined();
});
