import { createRun, definePrompt, type Run, type RunEvent, type RunStorage } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { expect } from 'vitest';
import * as z from 'zod';
import type { Tab } from '../support/browser.ts';

/** What the tool `send` has written, and what it waits for before it writes. */
export type World = { written: string[]; hold?: Promise<void> };

/** The run `mail` in a tab, with a model of its own. */
export async function openRun(
  tab: Tab,
  world: World,
  turns: readonly ScriptedTurn[],
  storage: RunStorage = tab.storage,
): Promise<Run> {
  const definition = definePrompt('mail', (prompt) => {
    prompt.defTool('send', 'Sends.', z.object({ to: z.string() }), async ({ to }) => {
      await world.hold;
      if (tab.isDead) return new Promise<string>(() => {});
      world.written.push(to);
      return 'sent';
    });
    prompt.defTaskList([{ task: 'One' }]);
    prompt.$`Write.`;
  });
  tab.use();
  const run = createRun(definition, { id: 'mail', storage, model: scriptedModel([...turns]) });
  await run.restored;
  return run;
}

export const send = (to: string): ScriptedTurn => [{ toolCall: { name: 'send', input: { to } } }];
export const slowly: ScriptedTurn = [
  { text: 'I ' },
  { delay: 150 },
  { text: 'am ' },
  { delay: 150 },
  { text: 'done.' },
  { toolCall: { name: 'finishTask', input: { result: 'ok' } } },
];
export const until = (condition: () => boolean) => expect.poll(condition, { interval: 5 }).toBe(true);
export const finish: ScriptedTurn = [{ toolCall: { name: 'finishTask', input: { result: 'ok' } } }];

/** The log of a run that has ended. */
export async function recordedLog(): Promise<readonly RunEvent[]> {
  const run = createRun(
    definePrompt('mail', (prompt) => prompt.$`Write.`),
    { model: scriptedModel(['Recorded.']) },
  );
  await run.start();
  return run.log();
}
