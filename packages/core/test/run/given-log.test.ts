import { createRun, definePrompt, type RunEvent } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';

const greet = definePrompt('greet', (prompt) => prompt.$`Hi.`);

async function greeted(): Promise<readonly RunEvent[]> {
  const run = createRun(greet, { model: scriptedModel(['Hello.']) });
  await run.start();
  return run.log();
}

describe('createRun refuses a log', () => {
  test.each<[string, (log: readonly RunEvent[]) => unknown]>([
    ['with a gap', (log) => log.toSpliced(2, 1)],
    ['with an event twice', (log) => log.toSpliced(2, 0, log[2]!)],
    ['without its start', (log) => log.slice(1)],
    ['of a later version', ([first, ...log]) => [{ ...first, v: 9 }, ...log]],
    ['with something else in it', (log) => [...log, null]],
    ['that is text', (log) => JSON.stringify(log)],
    ['that is null', () => null],
    ['that is a list of messages', () => [{ id: 'a', role: 'user', parts: [] }]],
  ])('%s', async (_what, change) => {
    const log = change(await greeted()) as readonly RunEvent[];
    expect(() => createRun(greet, { log })).toThrow(
      'createRun takes the whole log of a run, from run-start on: run.log() or decodeLog(text).',
    );
  });

  test('but none that is whole, not ended, or empty', async () => {
    const log = await greeted();
    expect(createRun(greet, { log }).getState().text).toBe('Hello.');
    expect(createRun(greet, { log: log.slice(0, 3) }).log()).toHaveLength(3);
    expect(createRun(greet, { log: [] }).getState().status).toBe('idle');
  });
});
