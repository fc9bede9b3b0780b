const lineFeed = 10;
const carriageReturn = 13;

/** Cuts the bytes of Server-Sent Events after each event. */
export type EventSplitter = {
  /** The events that these bytes complete, as they came; undefined where one has grown larger than the cap. */
  push(bytes: Uint8Array): Uint8Array[] | undefined;
  /** What has come of an event that is not complete. */
  rest(): Uint8Array;
};

/** Keeps no more than one event of at most so many bytes. Looks at each byte once. */
export function createEventSplitter(maxBytes: number): EventSplitter {
  let parts: Uint8Array[] = [];
  let size = 0;
  let lineIsEmpty = true;
  let afterReturn = false;

  function take(last: Uint8Array): Uint8Array {
    if (parts.length === 0) return last;
    const whole = new Uint8Array(size + last.byteLength);
    let at = 0;
    for (const part of [...parts, last]) {
      whole.set(part, at);
      at += part.byteLength;
    }
    parts = [];
    size = 0;
    return whole;
  }

  return {
    push(bytes) {
      const events: Uint8Array[] = [];
      let from = 0;
      for (let at = 0; at < bytes.byteLength; at += 1) {
        const byte = bytes[at];
        if (byte === lineFeed && afterReturn) {
          // the second half of a line's end: where that ended an event, it begins the next, which does no harm
          afterReturn = false;
          continue;
        }
        afterReturn = byte === carriageReturn;
        if (byte !== lineFeed && byte !== carriageReturn) {
          lineIsEmpty = false;
          continue;
        }
        if (lineIsEmpty) {
          if (size + at + 1 - from > maxBytes) return undefined;
          events.push(take(bytes.subarray(from, at + 1)));
          from = at + 1;
        }
        lineIsEmpty = true;
      }
      if (from < bytes.byteLength) {
        size += bytes.byteLength - from;
        if (size > maxBytes) return undefined;
        parts.push(bytes.slice(from));
      }
      return events;
    },
    rest: () => {
      const last = parts.pop() ?? new Uint8Array();
      size -= last.byteLength;
      return take(last);
    },
  };
}

/** The `data` of an event, its lines joined; undefined where it has none. */
export function dataOf(event: string): string | undefined {
  const lines = event.split(/\r\n|\r|\n/).flatMap((line) => {
    if (line === 'data') return [''];
    return line.startsWith('data:') ? [line.slice(line[5] === ' ' ? 6 : 5)] : [];
  });
  return lines.length === 0 ? undefined : lines.join('\n');
}
