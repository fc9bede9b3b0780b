import { beforeEach, expect, test, vi } from 'vitest';
import type * as Draft from '../../src/state/reply-draft.ts';
import { memoryStorage } from '../memory-storage.ts';

const stored = new Map<string, string>();
vi.stubGlobal('sessionStorage', memoryStorage(stored));

/** The module in the state of a page that has just loaded. */
async function reload(): Promise<typeof Draft> {
  await new Promise((resolve) => setTimeout(resolve, 300));
  vi.resetModules();
  return import('../../src/state/reply-draft.ts');
}

beforeEach(() => stored.clear());

test('a reload restores the typed text of each conversation', async () => {
  const page = await reload();
  page.writeReply('script', 'And if');
  page.writeReply('prompts', 'And then');
  expect((await reload()).useReplyDraft.getState()).toEqual({
    script: { text: 'And if', sentAs: undefined },
    prompts: { text: 'And then', sentAs: undefined },
  });
});

test('a reload restores a sent reply until its turn is stored', async () => {
  const page = await reload();
  page.markReplySent('prompts', 'And now?', { id: 'run', turn: 1 });
  page.forgetSentReply({ id: 'run', turn: 0 });
  page.forgetSentReply({ id: 'other', turn: 1 });
  const next = await reload();
  expect(next.useReplyDraft.getState().prompts).toEqual({ text: 'And now?', sentAs: undefined });
  next.forgetReply('script', 'And now?');
  next.forgetReply('prompts', 'Something else');
  expect(next.useReplyDraft.getState().prompts.text).toBe('And now?');
  next.forgetReply('prompts', 'And now?');
  expect(next.useReplyDraft.getState().prompts.text).toBe('');
  page.forgetSentReply({ id: 'run', turn: 1 });
  expect((await reload()).useReplyDraft.getState().prompts.text).toBe('');
});

test('anything else in the storage is ignored', async () => {
  for (const text of ['{', 'null', '{"state":7}', `{"state":"${'x'.repeat(1_000_001)}"}`]) {
    stored.set('cueline:reply', text);
    expect((await reload()).useReplyDraft.getState().script.text).toBe('');
  }
});
