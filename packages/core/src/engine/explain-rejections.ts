import type { CuelineError } from '../base/errors.ts';
import { isPromise } from '../base/is-promise.ts';

/**
 * Returns the AI SDK's result with one difference: if the run has failed, its promises reject with the run's
 * own error instead of "No output generated", which hides the cause.
 */
export function explainRejections<Result extends object>(
  result: Result,
  failure: () => CuelineError | undefined,
): Result {
  return new Proxy(result, {
    get(target, property) {
      // getters run on the result itself, because they keep their streams in private fields
      const value: unknown = Reflect.get(target, property, target);
      if (typeof value === 'function') return value.bind(target) as unknown;
      if (!isPromise(value)) return value;
      const explained = value.then(
        (settled) => {
          // the AI SDK resolves with what it has, which for a failed run is an empty text or half of one
          const failed = failure();
          if (failed !== undefined) throw failed;
          return settled;
        },
        (error: unknown) => {
          throw failure() ?? error;
        },
      );
      // the run's state says the same, also to a caller who awaits only some of the promises
      explained.then(undefined, () => {});
      return explained;
    },
  });
}
