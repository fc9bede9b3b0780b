import { ByteBuffer } from '../base/byte-buffer.ts';

const lineFeed = 10;
const carriageReturn = 13;

/** Complete events, unchanged. */
export type EventBytes = {
  bytes: Uint8Array<ArrayBuffer>;
  /** The end of each event in the bytes; the last one is the end of the bytes. */
  ends: readonly number[];
};

/** Cuts the bytes of Server-Sent Events after each event. */
export type EventSplitter = {
  /** The events that these bytes complete; undefined if one has grown larger than the cap. */
  push(bytes: Uint8Array): EventBytes | undefined;
  /** The bytes of an incomplete event. */
  rest(): EventBytes;
};

/** Buffers at most one event of at most `maxBytes` bytes. */
export function createEventSplitter(maxBytes: number): EventSplitter {
  const buffer = new ByteBuffer();
  let lineIsEmpty = true;
  let afterReturn = false;

  function take(last: Uint8Array): Uint8Array<ArrayBuffer> {
    // no other code uses the provider's bytes
    if (buffer.size === 0) return last as Uint8Array<ArrayBuffer>;
    buffer.add(last);
    return buffer.take();
  }

  return {
    push(bytes) {
      const ends: number[] = [];
      // the current event began this many bytes before these
      let before = buffer.size;
      let from = 0;
      // The runtime's own search for line ends is several times as fast as a loop over the bytes.
      let feed = bytes.indexOf(lineFeed);
      let back = bytes.indexOf(carriageReturn);
      for (let at = 0; feed !== -1 || back !== -1; at += 1) {
        const isReturn = feed === -1 || (back !== -1 && back < feed);
        const found = isReturn ? back : feed;
        if (isReturn) back = bytes.indexOf(carriageReturn, found + 1);
        else feed = bytes.indexOf(lineFeed, found + 1);
        const isSecondHalf = !isReturn && afterReturn && found === at;
        afterReturn = isReturn;
        // the second half of a line end: if it ended an event, it begins the next one, which is harmless
        if (!isSecondHalf) {
          if (lineIsEmpty && found === at) {
            if (before + found + 1 - from > maxBytes) return undefined;
            before = 0;
            from = found + 1;
            ends.push(buffer.size + from);
          }
          lineIsEmpty = true;
        }
        at = found;
      }
      const whole = from === 0 ? nothing : take(bytes.subarray(0, from));
      if (from < bytes.byteLength) {
        const last = bytes.at(-1);
        if (last !== lineFeed && last !== carriageReturn) lineIsEmpty = afterReturn = false;
        if (buffer.size + bytes.byteLength - from > maxBytes) return undefined;
        buffer.add(bytes.subarray(from));
      }
      return { bytes: whole, ends };
    },
    rest: () => {
      const bytes = take(nothing);
      return { bytes, ends: bytes.byteLength === 0 ? [] : [bytes.byteLength] };
    },
  };
}

const nothing = new Uint8Array();

/** The `data` of an event, its lines joined; undefined where it has none. */
export function dataOf(event: string): string | undefined {
  const lines = event.split(/\r\n|\r|\n/).flatMap((line) => {
    if (line === 'data') return [''];
    return line.startsWith('data:') ? [line.slice(line[5] === ' ' ? 6 : 5)] : [];
  });
  return lines.length === 0 ? undefined : lines.join('\n');
}
