/** A stream, and the functions that fill it. */
export type PartStream<Part> = {
  stream: ReadableStream<Part>;
  push(parts: readonly Part[]): void;
  /** Ends the stream after everything that was pushed; with `error`, as failed. */
  end(error?: unknown): void;
};

/**
 * A stream whose reader gets everything that was pushed before a failure: a stream that is errored directly
 * discards what its reader has not taken. `drained` is called when the reader wants more than there is.
 */
export function createPartStream<Part>(on: { drained(): void; cancelled(): void }): PartStream<Part> {
  const waiting: Part[] = [];
  let ending: { error?: unknown } | undefined;
  let wake: (() => void) | undefined;

  const stream = new ReadableStream<Part>(
    {
      async pull(controller) {
        if (waiting.length === 0 && ending === undefined) {
          on.drained();
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
        if (waiting.length > 0) controller.enqueue(waiting.shift() as Part);
        else if (ending !== undefined && 'error' in ending) controller.error(ending.error);
        else controller.close();
      },
      cancel: () => on.cancelled(),
    },
    { highWaterMark: 0 },
  );
  return {
    stream,
    push(parts) {
      waiting.push(...parts);
      if (parts.length > 0) wake?.();
    },
    end(...error) {
      ending ??= error.length === 0 ? {} : { error: error[0] };
      wake?.();
    },
  };
}
