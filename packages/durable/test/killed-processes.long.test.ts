import { reduceAll } from '@cueline/core';
import { expect, test } from 'vitest';
import { createFolder, readIn, startIn } from './support/killed.ts';

test('a run survives processes that are killed in a tool and in an answer', async () => {
  const pages = 3;
  const folder = createFolder(pages, 60);
  try {
    await startIn(folder, 'run-1', { prompt: 'writePages', input: { book: 'Emma' } });
    // kills a process in the first write, and another one in the second answer
    await folder.workUntil((effects) => effects.includes('write Emma 0'));
    await folder.workUntil((effects) => effects.filter((each) => each === 'model').length >= 2);
    await folder.workUntil((effects) => effects.includes('end'));
    const { events, ended } = await readIn(folder, 'run-1');
    const effects = folder.effects();
    expect(ended).toBe(true);
    expect(events.map(({ seq }) => seq)).toEqual(events.map((_event, index) => index));
    const state = reduceAll(events);
    expect(state).toMatchObject({ status: 'done', result: 'Written.', runId: 'run-1' });
    for (let page = 0; page < pages; page += 1) {
      expect(
        effects.filter((each) => each === `write Emma ${page}`),
        `page ${page}`,
      ).toHaveLength(1);
    }
    // the first write has no result, because its process was killed
    const [write, read] = state.toolCalls;
    expect(write).toMatchObject({
      toolName: 'write',
      state: 'output-error',
      errorText: expect.stringContaining('interrupted'),
    });
    expect(read).toMatchObject({ toolName: 'read', output: 'page 0' });
    // one answer was cut off, so the model was called once more for it
    expect(effects.filter((each) => each === 'model').length).toBeLessThanOrEqual(pages + 2);
  } finally {
    folder.remove();
  }
}, 180_000);
