import { runPrompt } from '@cueline/core';
import { demoModel, scriptedModel } from '@cueline/core/testing';
import { expect, onTestFinished, test, vi } from 'vitest';

test.each([
  ['scripted', () => scriptedModel(['A tram.'])],
  ['demo', () => demoModel({ pace: 0 })],
])('the %s model accepts files by their URLs, and nothing is downloaded', async (_name, newModel) => {
  const fetch = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new Error('There is no network.'));
  onTestFinished(() => fetch.mockRestore());
  const { run } = await runPrompt(
    (prompt) => {
      prompt.$`What is in ${new URL('https://example.com/tram.png')}?`;
      prompt.defMessage('user', [
        { type: 'file', data: 'https://example.com/tram', mediaType: 'application/pdf' },
        { type: 'image', image: 'HTTP://example.com/unknown' },
      ]);
    },
    { model: newModel() },
  );
  expect(await run.finished).toMatchObject({ status: 'done' });
  expect(fetch).not.toHaveBeenCalled();
});
