import { Refusal } from '../http/respond.ts';

/** One answer that goes on. */
export type StreamSlot = {
  /** The run that it is of, as soon as that is known. */
  runId?: string | undefined;
  /** It is over. Again: does nothing. */
  leave(): void;
};

export type StreamLimits = {
  /** Of one subject at once. */
  streams: number;
  /** Of one run at once. */
  streamsPerRun: number;
  /** After how many milliseconds one counts as over that nobody has read or cancelled. */
  leaseMs: number;
};

/** The answers that go on in this process. */
export type Streams = {
  /** Throws a {@link Refusal} with 429 where there are too many, of the subject or of the run. */
  enter(subject: string, runId?: string): StreamSlot;
};

/** None yet. */
export function createStreams({ streams, streamsPerRun, leaseMs }: StreamLimits): Streams {
  const open = new Map<string, Set<StreamSlot & { until: number }>>();

  function placesOf(subject: string, at: number): Set<StreamSlot & { until: number }> {
    const places = open.get(subject) ?? new Set();
    for (const place of places) if (place.until <= at) places.delete(place);
    return places;
  }

  return {
    enter(subject, runId) {
      const at = performance.now();
      const places = placesOf(subject, at);
      if (places.size >= streams) throw tooManyStreamsError(`${streams} answers to you`);
      const ofRun = [...places].filter((place) => place.runId === runId).length;
      if (runId !== undefined && ofRun >= streamsPerRun)
        throw tooManyStreamsError(`${streamsPerRun} answers of one run`);
      const place = {
        runId,
        until: at + leaseMs,
        leave() {
          places.delete(place);
          if (places.size === 0 && open.get(subject) === places) open.delete(subject);
        },
      };
      open.set(subject, places.add(place));
      return place;
    },
  };
}

/** The same items. `onLeave` is called once nobody reads them any more. */
export function whileRead<Item>(items: AsyncIterable<Item>, onLeave: () => void): AsyncIterable<Item> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = items[Symbol.asyncIterator]();
      return {
        async next() {
          try {
            const next = await iterator.next();
            if (next.done === true) onLeave();
            return next;
          } catch (error) {
            onLeave();
            throw error;
          }
        },
        async return() {
          onLeave();
          return (await iterator.return?.()) ?? { done: true, value: undefined };
        },
      };
    },
  };
}

function tooManyStreamsError(what: string): Refusal {
  return new Refusal(
    'too_many_at_once',
    `There may be ${what} at once. Close one, or wait until one has ended.`,
    {
      retryAfterMs: 1_000,
    },
  );
}
