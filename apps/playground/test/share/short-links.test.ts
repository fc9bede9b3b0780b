import { afterEach, expect, test, vi } from 'vitest';
import { deleteKeyOf } from '../../src/share/delete-keys.ts';
import { knownShortLink, makeUploadedLink, uploadInProgress } from '../../src/share/short-links.ts';
import { memoryStorage } from '../memory-storage.ts';

const id = 'AbCdEfGhIjKlMnOpQrSt-A';
const [address, page] = ['https://play.example/api/shares', 'https://play.example/app/'];

afterEach(() => void vi.unstubAllGlobals());

test('an upload continues after its popover is closed, is made once, and keeps its delete key', async () => {
  vi.stubGlobal('localStorage', memoryStorage());
  const signals: AbortSignal[] = [];
  const answers: ((response: Response) => void)[] = [];
  vi.stubGlobal('fetch', (_url: string, { signal }: { signal: AbortSignal }) => {
    signals.push(signal);
    return new Promise<Response>((resolve) => void answers.push(resolve));
  });
  const upload = makeUploadedLink(address, '#v1.s.x.y', page);
  expect(uploadInProgress('#v1.s.x.y')).toBe(upload);
  expect(makeUploadedLink(address, '#v1.s.x.y', page)).toBe(upload);
  expect(signals).toHaveLength(1);
  const expiresAt = Date.now() + 60_000;
  answers[0]!(Response.json({ id, expiresAt, deleteKey: 'key' }, { status: 201 }));
  const link = { id, url: `${page}#s=${id}`, expiresAt };
  expect(await upload).toEqual(link);
  expect(knownShortLink('#v1.s.x.y')).toEqual(link);
  expect(deleteKeyOf(id)).toBe('key');
  expect(uploadInProgress('#v1.s.x.y')).toBeUndefined();
});

test('an upload that has failed can be tried again', async () => {
  vi.stubGlobal('fetch', async () => new Response('', { status: 503 }));
  await expect(makeUploadedLink(address, '#v1.s.a.b', page)).rejects.toThrow('failed (503)');
  expect(uploadInProgress('#v1.s.a.b')).toBeUndefined();
});
