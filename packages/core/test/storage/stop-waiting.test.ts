import { createRun, definePrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { afterEach, expect, test, vi } from 'vitest';
import { createBrowser } from '../support/browser.ts';

afterEach(() => {
  vi.unstubAllGlobals();
  vi.useRealTimers();
});

test('a message that waits for a frozen tab is not sent after a stop', async () => {
  const browser = createBrowser('scope-stop-waiting');
  const greet = definePrompt('greet', (prompt) => prompt.$`Greet.`);
  const [first, second] = [browser.openTab(), browser.openTab()] as const;
  first.use();
  const run = createRun(greet, {
    id: 'greeting',
    storage: first.storage,
    model: scriptedModel([[{ text: 'Hel' }, { delay: 600_000 }, { text: 'lo.' }]]),
  });
  run.start().catch(() => {});
  await expect.poll(() => run.getState().text).toBe('Hel');
  second.use();
  const model = scriptedModel(['Never.']);
  const other = createRun(greet, { id: 'greeting', storage: second.storage, model });
  await other.restored;
  await expect.poll(() => other.getState().text).toBe('Hel');
  first.freeze();
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  const sent = other.send('And now?');
  sent.catch(() => {});
  await vi.advanceTimersByTimeAsync(300);
  other.stop();
  await vi.advanceTimersByTimeAsync(5_000);
  await expect(sent).rejects.toMatchObject({ code: 'aborted' });
  expect(model.calls).toHaveLength(0);
});
