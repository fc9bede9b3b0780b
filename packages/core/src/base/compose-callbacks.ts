type Callback<Event> = ((event: Event) => unknown) | undefined;

/** One callback that calls all of them in order and waits for each. What one throws does not keep the rest from being called. */
export function composeCallbacks<Event>(...callbacks: Callback<Event>[]): (event: Event) => Promise<void> {
  const present = callbacks.filter((callback) => callback !== undefined);
  return async (event) => {
    let thrown: { error: unknown } | undefined;
    for (const callback of present) {
      try {
        await callback(event);
      } catch (error) {
        thrown ??= { error };
      }
    }
    if (thrown !== undefined) throw thrown.error;
  };
}

/**
 * A callback for every part of a stream: ours, then the caller's. It is a promise only where the caller's is one,
 * because waiting for nothing, per part, would be most of what a run costs.
 */
export function beforeCallback<Event>(
  ours: (event: Event) => void,
  theirs: ((event: Event) => PromiseLike<void> | void) | undefined,
): (event: Event) => PromiseLike<void> | void {
  if (theirs === undefined) return ours;
  return (event) => {
    ours(event);
    return theirs(event);
  };
}
