import { beforeEach, expect, test, vi } from 'vitest';
import type * as Attachments from '../../src/state/attachments.ts';
import {
  attach,
  clearAttachments,
  fitsConversation,
  messageParts,
  MAX_BYTES,
  MAX_FILES,
  useAttachments,
} from '../../src/state/attachments.ts';
import { memoryStorage } from '../memory-storage.ts';

const state = () => useAttachments.getState().script;
beforeEach(() => useAttachments.setState(useAttachments.getInitialState(), true));

test('a picture becomes a file part, a text becomes text, before the typed text', async () => {
  const picture = new File([new Uint8Array([1, 2, 3])], 'a.png', { type: 'image/png' });
  // some systems report TypeScript files as video
  await attach('script', [picture, new File(['let a;'], 'b.ts', { type: 'video/mp2t' })], []);
  expect(messageParts('What is this?', state().files)).toEqual([
    { type: 'file', mediaType: 'image/png', filename: 'a.png', url: 'data:image/png;base64,AQID' },
    { type: 'text', text: 'File b.ts:\n\nlet a;' },
    { type: 'text', text: 'What is this?' },
  ]);
});

test('an invalid media type is not put into an address', async () => {
  await attach('script', [new File([new Uint8Array([0xff])], 'x', { type: 'image/png;,<b>' })], []);
  expect(state().files[0]?.content).toEqual({ url: 'data:application/octet-stream;base64,/w==' });
});

test('too many files are refused', async () => {
  const files = Array.from({ length: MAX_FILES + 1 }, (_, index) => new File(['a'], `${index}.txt`));
  await attach('script', files, []);
  expect(state().files).toHaveLength(MAX_FILES);
  expect(state().problem).toContain('at most 8 files');
});

test('the files after one that is too large are attached', async () => {
  const large = (name: string) => new File([new Uint8Array(MAX_BYTES + 1)], name);
  await attach('script', [large('a.bin'), new File(['b'], 'b.txt'), large('c.bin')], []);
  expect(state().files.map(({ name }) => name)).toEqual(['b.txt']);
  expect(state().problem).toMatch(/^a\.bin is too large: .+\. c\.bin is too large: /);
});

test('the bytes of files in a conversation are limited, earlier messages included', async () => {
  const url = `data:image/png;base64,${'A'.repeat((MAX_BYTES * 4) / 3 - 400)}`;
  const message = {
    id: 'm',
    role: 'user' as const,
    parts: [{ type: 'file' as const, mediaType: 'image/png', url }],
  };
  await attach('script', [new File([new Uint8Array(1_000)], 'late.png', { type: 'image/png' })], [message]);
  expect(state().files).toEqual([]);
  expect(state().problem).toContain('late.png is too large');
});

test('a text file in an earlier message counts, and typed text does not', async () => {
  const large = 'a'.repeat(MAX_BYTES);
  const sent = (text: string) => ({
    id: 'm',
    role: 'user' as const,
    parts: [{ type: 'text' as const, text }],
  });
  await attach('script', [new File([large], 'notes.txt')], [sent(large)]);
  const [file] = messageParts('', state().files);
  expect(state()).toMatchObject({ files: [{ name: 'notes.txt' }], problem: undefined });
  clearAttachments('script');
  await attach('script', [new File(['b'], 'late.txt')], [{ id: 'm', role: 'user', parts: [file!] }]);
  expect(state().files).toEqual([]);
  expect(state().problem).toContain('late.txt is too large');
});

test('files that no longer fit into the conversation are not sent, and the page says so', async () => {
  await attach('script', [new File(['b'], 'b.bin', { type: 'image/png' })], []);
  expect(fitsConversation('script', [])).toBe(true);
  const url = `data:image/png;base64,${'A'.repeat((MAX_BYTES * 4) / 3)}`;
  const parts = [{ type: 'file' as const, mediaType: 'image/png', url }];
  expect(fitsConversation('script', [{ id: 'm', role: 'user', parts }])).toBe(false);
  expect(state().problem).toMatch(/^The files are too large.+ Remove some/);
  expect(fitsConversation('prompts', [{ id: 'm', role: 'user', parts }])).toBe(true);
});

test('the files of one conversation are not those of the other', async () => {
  await attach('script', [new File(['b'], 'b.txt')], []);
  expect(useAttachments.getState().prompts.files).toEqual([]);
  clearAttachments('prompts');
  expect(state().files).toHaveLength(1);
});

test('after a reload the page names the files that must be attached again', async () => {
  vi.stubGlobal('sessionStorage', memoryStorage());
  const reload = async (): Promise<typeof Attachments> => {
    await new Promise((resolve) => setTimeout(resolve, 300));
    vi.resetModules();
    return import('../../src/state/attachments.ts');
  };
  const page = await reload();
  await page.attach('script', [new File(['a'], 'a.txt'), new File(['b'], 'b.txt')], []);
  const next = await reload();
  expect(next.useAttachments.getState().script).toEqual({
    files: [],
    problem: 'Attach a.txt, b.txt again: files do not survive a reload of the page.',
  });
  await next.attach('script', [new File(['a'], 'a.txt')], []);
  expect(next.useAttachments.getState().script.problem).toBeUndefined();
  next.clearAttachments('script');
  expect((await reload()).useAttachments.getState().script.problem).toBeUndefined();
});
