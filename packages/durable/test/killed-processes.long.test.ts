import { expect, test } from 'vitest';
import { reduceAll } from '@cueline/core';
import { createFolder, readIn, startIn } from './support/killed.ts';

test('a run outlives its processes, which are killed in the middle of tools and of answers', async () => {
  const pages = 3;
  const folder = createFolder(pages, 60);
  try {
    await startIn(folder, 'run-1', { prompt: 'writePages', input: { book: 'Emma' } });
    // in the middle of the first write, and of the second answer after that
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
    // one answer was cut off, and the model was asked again
    expect(effects.filter((each) => each === 'model').length).toBeLessThanOrEqual(pages + 2);
  } finally {
    folder.remove();
  }
}, 180_000);
