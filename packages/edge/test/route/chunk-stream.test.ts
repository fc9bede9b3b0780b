import { expect, test, vi } from 'vitest';
import { toChunkStream } from '../../src/route/chunk-stream.ts';

function setUp(stallMs: number) {
  const cancel = vi.fn<() => void>();
  const onLeave = vi.fn<() => void>();
  let count = 0;
  const chunks = new ReadableStream<unknown>({ pull: (source) => source.enqueue((count += 1)), cancel });
  const reader = toChunkStream(
    chunks,
    { waits: () => {}, leave: onLeave, failed: () => {} },
    stallMs,
  ).getReader();
  return { cancel, onLeave, reader };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

test('a client that does not read for a while is disconnected, and gets an error when it returns', async () => {
  const { cancel, onLeave, reader } = setUp(40);
  await reader.read();
  await expect.poll(() => onLeave).toHaveBeenCalled();
  expect(cancel).toHaveBeenCalledTimes(1);
  const rest = async () => {
    for (;;) if ((await reader.read()).done) return 'whole';
  };
  await expect(rest()).rejects.toThrow('did not read the answer for too long');
});

test('a client that waits for a later chunk is not disconnected', async () => {
  const onLeave = vi.fn<() => void>();
  let say: (chunk: unknown) => void = () => {};
  const chunks = new ReadableStream<unknown>({
    start: (source) => void (say = (chunk) => source.enqueue(chunk)),
  });
  const reader = toChunkStream(chunks, { waits: () => {}, leave: onLeave, failed: () => {} }, 20).getReader();
  // the comment that every answer begins with
  await reader.read();
  const next = reader.read();
  await pause(120);
  say({ type: 'start' });
  expect(new TextDecoder().decode((await next).value)).toBe('data: {"type":"start"}\n\n');
  expect(onLeave).not.toHaveBeenCalled();
  await reader.cancel();
  expect(onLeave).toHaveBeenCalled();
});
