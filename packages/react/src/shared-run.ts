import {
  createRun,
  inProcess,
  type Executor,
  type PromptDefinition,
  type PromptOptions,
  type Run,
  type RunOptions,
} from '@cueline/core';

/** Where and how a run happens, for runs that do not say so themselves. */
export type RunDefaults = Pick<RunOptions, 'executor' | 'model' | 'options'>;

/**
 * What a run's next start uses. A field that is left out stays as it was said before; one that is there but undefined
 * goes back to the default.
 */
export type RunConfig<Input> = RunDefaults & {
  definition?: PromptDefinition<Input>;
  /** What holds where nothing else is said. */
  defaults?: RunDefaults;
};

/** A run that several components, and code outside React, may hold at once. */
export type SharedRun<Input = void> = Run<Input> & {
  /** Says what the next start uses; what is under way goes on as it is. */
  configure(config: RunConfig<Input>): void;
  /** Counts a holder of this run. Returns the way to let go, and there says whether the last one to go stops the run. */
  hold(): (onLast: 'keep' | 'stop') => void;
};

/** A run that has not started, and that reads its model, executor, options and definition anew at every start. */
export function createSharedRun<Input>(id: string, definition: PromptDefinition<Input>): SharedRun<Input> {
  let config: RunConfig<Input> & { definition: PromptDefinition<Input> } = { definition };
  let holders = 0;

  const lateBound: Executor = {
    start(request, signal) {
      const { definition: latest, defaults = {}, executor, model, options } = config;
      return (executor ?? defaults.executor ?? inProcess()).start(
        {
          ...request,
          // the same input type: this executor belongs to one run
          definition: latest as unknown as typeof request.definition,
          model: model ?? latest.model ?? defaults.model,
          options: mergeOptions(defaults.options, options),
        },
        signal,
      );
    },
  };
  const run = createRun(definition, { id, executor: lateBound });

  return {
    ...run,
    configure(said) {
      config = { ...config, ...said };
    },
    hold() {
      holders += 1;
      let held = true;
      return (onLast) => {
        if (!held) return;
        held = false;
        holders -= 1;
        if (onLast === 'keep') return;
        // a component that is only moved, and StrictMode's trial unmount, take hold again before this
        queueMicrotask(() => {
          if (holders === 0) run.stop();
        });
      };
    },
  };
}

/** The second set of options over the first; undefined where there is neither. */
export function mergeOptions(
  under: PromptOptions | undefined,
  over: PromptOptions | undefined,
): PromptOptions | undefined {
  return under === undefined || over === undefined ? (over ?? under) : { ...under, ...over };
}
