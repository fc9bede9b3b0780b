import { createRun, definePrompt, type RunEvent } from '@cueline/core';
import { expect, test } from 'vitest';
import * as z from 'zod';
import type { Scene } from '../../src/examples/scene.ts';
import { continueScenes } from '../../src/model/played-scenes.ts';
import { sceneModel } from '../../src/model/scene-model.ts';

const call = (name: string, input: unknown) => ({ toolCall: { name, input } });
const scenes: Scene[] = [
  [call('helper', {}), call('look', { what: 'left' })],
  { when: /You help/, turn: 'I have helped.' },
  [call('look', { what: 'right' })],
  'All seen.',
];
const prompt = definePrompt('scenes', (own) => {
  own.defAgent('helper', 'Helps', z.object({}), (_input, agent) => {
    agent.defSystem('role', 'You help.');
    agent.$`Help.`;
  });
  own.defTool('look', 'Looks', z.object({ what: z.string() }), ({ what }) => what);
  own.$`Look.`;
});

async function played(): Promise<readonly RunEvent[]> {
  const run = createRun(prompt, { model: sceneModel(scenes, { hurried: true }) });
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

test('the scenes of kept steps are not played again, including those of agents', async () => {
  const log = await played();
  expect(continueScenes(scenes, before(log, 1))?.played).toEqual([0, 1]);
  expect(continueScenes(scenes, before(log, 2))?.played).toEqual([0, 1, 2]);
  const play = continueScenes(scenes, before(log, 1))!;
  const model = sceneModel(play.scenes, { hurried: true, played: play.played });
  const fork = createRun(prompt, { model, log });
  expect(await fork.retry({ from: 1 })).toBe('All seen.');
  expect(fork.getState().toolCalls.map(({ toolCallId }) => toolCallId)).toEqual([
    'call-0-0',
    'call-0-1',
    'call-2-0',
  ]);
});

test('the scenes no longer fit after an edit, another model or a reply', async () => {
  const log = before(await played(), 1);
  const change = (patch: (event: RunEvent) => object): RunEvent[] =>
    log.map((event) => ({ ...event, ...patch(event) }));
  const edited = change(({ type }) => (type === 'tool-end' ? { edited: true } : {}));
  const other = change(({ type }) => (type === 'run-start' ? { model: 'openai:gpt' } : {}));
  const replied = change(({ type }) => (type === 'run-start' ? { turns: 1 } : {}));
  for (const events of [edited, other, replied, []]) expect(continueScenes(scenes, events)).toBeUndefined();
});
