import { CuelineError, inProcess, type Executor, type ModelSettings } from '@cueline/core';

/**
 * Runs this app's prompts in the page. They load with the first run, so that a page whose runs happen on a server
 * never has
 * them.
 */
export function inPageExecutor(models: ModelSettings): Executor {
  const here = inProcess(models);
  return {
    ...here,
    async *start(request, signal) {
      const { name } = request.definition;
      const found = Object.values(await import('./prompts/index.ts')).find((prompt) => prompt.name === name);
      if (found === undefined) throw new CuelineError('invalid_options', `There is no prompt "${name}".`);
      // the remote prompt of that name has the types of this one
      const definition = found as unknown as typeof request.definition;
      yield* here.start({ ...request, definition }, signal);
    },
  };
}
