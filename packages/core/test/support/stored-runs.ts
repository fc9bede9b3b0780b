import { createRun, definePrompt, type Executor, type RunEvent } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { expect } from 'vitest';
import * as z from 'zod';
import { call, types } from '../support.ts';
import { atOnce, memoryStorage, nextEvent, type MemoryStorage } from './runs.ts';

export const looked: string[] = [];

export const research = definePrompt('research', (prompt, topic: string) => {
  prompt.defTool('look', 'Looks', z.object({ what: z.string() }), ({ what }) => {
    looked.push(what);
    return what;
  });
  prompt.$`Look into ${topic}.`;
});

export const look = (what: string): ScriptedTurn => [call('look', { what }, `look-${what}`)];

export const endless: ScriptedTurn = [{ text: 'well' }, { delay: 60_000 }];

/** A run under the id `a`; another one is the same run after a reload. */
export function open(storage: MemoryStorage, turns: readonly ScriptedTurn[], executor?: Executor) {
  looked.length = 0;
  const model = scriptedModel(turns);
  return { run: createRun(research, { id: 'a', storage, model, executor, schedule: atOnce }), model };
}

export const stored = (storage: MemoryStorage): RunEvent[] => storage.logs.get('a') ?? [];

/** The stored log of a run whose page went away in its second step. */
export async function brokenOff(): Promise<MemoryStorage> {
  const storage = memoryStorage();
  const { run } = open(storage, [look('left'), endless]);
  void run.start('caves', { key: 'mount' });
  await nextEvent(run, (event) => event.type === 'text-delta');
  await expect.poll(() => types(stored(storage))).toContain('text-delta');
  const left = memoryStorage({ a: stored(storage) });
  run.stop();
  return left;
}
