import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createStorage, type TextMirror, type TextStorage } from '../../src/state/storage.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function memory(): TextStorage & { texts: Map<string, string>; writes: number } {
  const texts = new Map<string, string>();
  const storage = {
    texts,
    writes: 0,
    getItem: (name: string) => texts.get(name) ?? null,
    setItem(name: string, text: string) {
      storage.writes += 1;
      texts.set(name, text);
    },
    removeItem: (name: string) => void texts.delete(name),
  };
  return storage;
}

test('the storage collects writes, and a flush writes at once', () => {
  const texts = memory();
  const storage = createStorage<{ script: string }>({
    onProblem: expect.unreachable,
    open: () => texts,
    delay: 100,
  });
  for (const script of ['a', 'ab', 'abc'])
    void storage.setItem('playground', { state: { script }, version: 1 });
  expect(texts.writes).toBe(0);
  vi.advanceTimersByTime(100);
  expect(texts.writes).toBe(1);
  expect(storage.getItem('playground')).toEqual({ state: { script: 'abc' } });

  void storage.setItem('playground', { state: { script: 'last' }, version: 1 });
  storage.flush();
  expect(texts.texts.get('playground')).toContain('last');
  vi.advanceTimersByTime(1_000);
  expect(texts.writes).toBe(2);
});

test('a storage that is blocked or full is reported once and never throws', () => {
  const problems: string[] = [];
  const storage = createStorage({
    onProblem: (message) => problems.push(message),
    open: () => {
      throw new DOMException('blocked', 'SecurityError');
    },
  });
  expect(storage.getItem('playground')).toBeNull();
  void storage.setItem('playground', { state: {}, version: 1 });
  storage.flush();
  void storage.removeItem('playground');
  expect(problems).toEqual([expect.stringContaining('Your script stays here until you close the tab')]);
});

test('after a crash, the writes that the browser has lost come from the mirror', async () => {
  const copies = new Map<string, string>();
  const mirror: TextMirror = {
    read: async (name) => copies.get(name),
    write: async (name, text) => void copies.set(name, text),
  };
  const openPage = async (texts: TextStorage) => {
    const followed: string[] = [];
    const storage = createStorage<string>({
      onProblem: expect.unreachable,
      open: () => texts,
      mirror,
      merge: (_base, mine, theirs) => (mine === 'nothing' ? String(theirs) : mine),
    });
    storage.share('texts', 'nothing', (text) => followed.push(text));
    await vi.advanceTimersByTimeAsync(1);
    const write = (state: string): void => {
      void storage.setItem('texts', { state, version: 1 });
      storage.flush();
      vi.advanceTimersByTime(1_000);
    };
    return { write, followed };
  };
  const texts = memory();
  const { write } = await openPage(texts);
  write('first');
  const first = new Map(texts.texts);
  write('second');
  const second = texts.texts.get('texts')!;

  const reset = (text?: string): TextStorage & { texts: Map<string, string> } => {
    const after = memory();
    if (text !== undefined) after.texts.set('texts', text);
    return after;
  };
  for (const lost of [reset(), reset(first.get('texts')), reset('{"state":')]) {
    expect((await openPage(lost)).followed).toEqual(['second']);
    expect(lost.texts.get('texts')).toBe(second);
  }
  // nothing is lost, or another version of the page has written since
  for (const text of [second, '{"state":"other","version":1}']) {
    const kept = reset(text);
    expect((await openPage(kept)).followed).toEqual([]);
    expect(kept.texts.get('texts')).toBe(text);
  }
  // another tab has written since
  write('third');
  copies.set('texts', second);
  expect((await openPage(texts)).followed).toEqual([]);
});

test('stored text that is not JSON is ignored', () => {
  const texts = memory();
  texts.texts.set('playground', '{"state":');
  const storage = createStorage({ onProblem: expect.unreachable, open: () => texts });
  expect(storage.getItem('playground')).toBeNull();
});
