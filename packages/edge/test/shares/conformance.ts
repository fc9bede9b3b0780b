import type { ShareStorage } from '@cueline/edge';
import { describe, expect, test } from 'vitest';

export type ShareStorageUnderTest = {
  /** A storage, or another client of the same one: what one puts the other gets. */
  open(): ShareStorage | Promise<ShareStorage>;
  /** Lets this much time go by, as the storage sees it; `now` goes with it. */
  advance(ms: number): void | Promise<void>;
  /** The storage's clock, in ms since 1970. Default: `Date.now`. */
  now?(): number;
  /** Of what several instances do at the same moment it promises nothing: they are as one then. */
  oneAtATime?: boolean;
};

/** What every storage of shares does, whatever it keeps them in. */
export function describeShareStorage(
  name: string,
  { open, advance, now = Date.now, oneAtATime = false }: ShareStorageUnderTest,
): void {
  const lifetime = 60_000;
  const share = (body: Uint8Array) => ({ body, expiresAt: now() + lifetime });

  describe(`${name}: shares`, () => {
    test('another client gets the bytes that were put', async () => {
      const id = newId();
      expect(await (await open()).put(id, share(everyByte))).toBe(true);
      expect(await bytesOf(await open(), id)).toEqual([...everyByte]);
    });

    test('an id that was never put is empty', async () => {
      const storage = await open();
      expect(await storage.get(newId())).toBeUndefined();
      expect(await storage.get('')).toBeUndefined();
      for (const id of ['__proto__', 'constructor', '*', '../x', 'a:b', 'a\n']) {
        expect(await storage.get(id)).toBeUndefined();
      }
    });

    test('ids differ letter by letter, and no share is part of another', async () => {
      const storage = await open();
      const id = newId();
      await storage.put(`${id}a`, share(Uint8Array.of(1)));
      await storage.put(`${id}A`, share(Uint8Array.of(2)));
      expect(await bytesOf(storage, `${id}a`)).toEqual([1]);
      expect(await bytesOf(storage, `${id}A`)).toEqual([2]);
      expect(await storage.get(id)).toBeUndefined();
      expect(await storage.get(`${id}*`)).toBeUndefined();
    });

    test('an existing share is not overwritten', async () => {
      const storage = await open();
      const id = newId();
      expect(await storage.put(id, share(Uint8Array.of(1)))).toBe(true);
      expect(await (await open()).put(id, share(Uint8Array.of(2)))).toBe(false);
      expect(await bytesOf(storage, id)).toEqual([1]);
    });

    test('a share is deleted by its owner alone, from any client', async () => {
      const storage = await open();
      const [id, other, anybodys] = [newId(), newId(), newId()];
      await storage.put(id, { ...share(everyByte), owner: 'a1' });
      await storage.put(other, { ...share(everyByte), owner: 'b2' });
      await storage.put(anybodys, share(everyByte));
      for (const owner of ['b2', 'a', 'a11', '', 'A1']) expect(await storage.remove(id, owner)).toBe(false);
      expect(await storage.remove(anybodys, '')).toBe(false);
      expect(await bytesOf(storage, id)).toEqual([...everyByte]);
      expect(await (await open()).remove(id, 'a1')).toBe(true);
      expect(await storage.remove(id, 'a1')).toBe(false);
      expect(await storage.get(id)).toBeUndefined();
      expect(await bytesOf(storage, other)).toEqual([...everyByte]);
      expect(await storage.put(id, share(everyByte))).toBe(true);
    });

    const where = oneAtATime ? ', in one instance' : '';

    test(`of many puts under one id at the same time${where}, one is kept`, async () => {
      const one = await open();
      const clients = [one, oneAtATime ? one : await open()] as const;
      const id = newId();
      const kept = await Promise.all(
        Array.from({ length: 20 }, (_, at) => clients[at % 2 ? 1 : 0].put(id, share(Uint8Array.of(at)))),
      );
      expect(kept.filter(Boolean)).toHaveLength(1);
      expect(await bytesOf(clients[0], id)).toEqual([kept.indexOf(true)]);
    });

    test('what is put, and what is got, is a copy', async () => {
      const storage = await open();
      const id = newId();
      const body = Uint8Array.of(1, 2, 3);
      await storage.put(id, share(body));
      body.fill(0);
      (await storage.get(id))?.fill(9);
      expect(await bytesOf(storage, id)).toEqual([1, 2, 3]);
    });

    test('a part of a larger buffer is kept as that part', async () => {
      const storage = await open();
      const id = newId();
      await storage.put(id, share(Uint8Array.of(1, 2, 3, 4).subarray(1, 3)));
      expect(await bytesOf(storage, id)).toEqual([2, 3]);
    });

    test('a large one comes back whole', async () => {
      const storage = await open();
      const id = newId();
      const body = Uint8Array.from({ length: 1 << 20 }, (_, at) => (at * 31 + (at >> 8)) & 255);
      await storage.put(id, share(body));
      expect(Buffer.from((await storage.get(id))!).equals(Buffer.from(body))).toBe(true);
    });

    test('is forgotten when it expires, and its id is free again', async () => {
      const storage = await open();
      const id = newId();
      await storage.put(id, share(Uint8Array.of(1)));
      await advance(lifetime - 20_000);
      expect(await bytesOf(storage, id)).toEqual([1]);
      await advance(20_500);
      expect(await storage.get(id)).toBeUndefined();
      expect(await storage.put(id, share(Uint8Array.of(2)))).toBe(true);
      expect(await bytesOf(storage, id)).toEqual([2]);
    });
  });
}

const everyByte = Uint8Array.from({ length: 256 }, (_, at) => at);

function newId(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(16))).toString('base64url');
}

async function bytesOf(storage: ShareStorage, id: string): Promise<number[] | undefined> {
  const body = await storage.get(id);
  return body && [...body];
}
