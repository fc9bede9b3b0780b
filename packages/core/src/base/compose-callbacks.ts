type Callback<Event> = ((event: Event) => unknown) | undefined;

/**
 * Returns one callback that calls all of them in order and waits for each. If one throws, the others are still
 * called.
 */
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
 * Returns a callback for every part of a stream: ours, then the caller's. It returns a promise only if the caller's
 * does, because an unnecessary wait per part would be most of a run's cost.
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
