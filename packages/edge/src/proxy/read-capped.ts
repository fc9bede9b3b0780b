import { startTimeout } from './timeouts.ts';

/** The text of a body. `end` says why there is no more. */
export type CappedBody = { text: string; bytes: number; end: 'done' | 'too_large' | 'idle' | 'broken' };

/** Reads a body up to a cap, as long as bytes keep arriving and the signal is not aborted. */
export async function readCapped(
  body: ReadableStream<Uint8Array> | null,
  { maxBytes, idleMs, signal }: { maxBytes: number; idleMs: number; signal: AbortSignal },
): Promise<CappedBody> {
  if (body === null) return { text: '', bytes: 0, end: 'done' };
  const reader = body.getReader();
  const decoder = new TextDecoder();
  let text = '';
  let bytes = 0;
  let end: CappedBody['end'] = 'done';
  function stop(why: CappedBody['end']): void {
    end = why;
    // not awaited: a source that never answers must not block us
    reader.cancel().catch(() => {});
  }
  const aborted = (): void => stop('broken');
  signal.addEventListener('abort', aborted);
  try {
    while (end === 'done') {
      const clear = startTimeout(idleMs, () => stop('idle'));
      const read = await reader.read().catch(() => undefined);
      clear();
      // on Workers, a pending read fails when it is stopped
      if (read === undefined && end === 'done') stop('broken');
      if (read === undefined || read.done) break;
      bytes += read.value.byteLength;
      if (bytes > maxBytes) stop('too_large');
      else text += decoder.decode(read.value, { stream: true });
    }
  } finally {
    signal.removeEventListener('abort', aborted);
  }
  return { text: text + decoder.decode(), bytes, end };
}
