import {
  createRun,
  type PromptDefinition,
  type PromptOptions,
  type PromptTypes,
  type Run,
  type RunOptions,
  type RunSettings,
  type RunState,
} from '@cueline/core';

/**
 * The settings of a run's next start. A field that is left out keeps its value; one that is undefined returns to the
 * default.
 */
export type RunConfig<Input, Types extends PromptTypes = PromptTypes> = RunSettings & {
  definition?: PromptDefinition<Input, Types>;
  /** Settings that apply unless a component sets others. */
  defaults?: RunSettings;
};

/** A run that several components, and code outside React, may hold at once. */
export type SharedRun<Input = void, Types extends PromptTypes = PromptTypes> = Omit<
  Run<Input, Types>,
  'configure'
> & {
  /** Sets what the next start uses; a start that is in progress does not change. */
  configure(config: RunConfig<Input, Types>): void;
  /**
   * Counts a holder of this run. Returns the function that releases it, and whether the last release stops the run.
   */
  hold(): (onLast: 'keep' | 'stop') => void;
  /** True while a component shows the run. */
  readonly held: boolean;
};

/** A run of any prompt. */
export type AnyRun = SharedRun<never>;

/** The options of a shared run. */
export type SharedRunInit<Input, Types extends PromptTypes> = Pick<RunOptions, 'log' | 'storage'> &
  RunConfig<Input, Types>;

/** Runs whose storage has been read. */
export const hydrated: WeakSet<object> = new WeakSet();

/**
 * A run that has not started, and that reads its model, executor, options and definition anew at every start. Calls
 * `onUse` when the run is watched, or when something has happened to it, and `onRelease` when the last holder has
 * released it.
 */
export function createSharedRun<Input, Types extends PromptTypes>(
  id: string,
  definition: PromptDefinition<Input, Types>,
  { log, storage, ...settings }: SharedRunInit<Input, Types>,
  onUse: (run: AnyRun) => void,
  onRelease: (run: AnyRun) => void,
): SharedRun<Input, Types> {
  let config: RunConfig<Input, Types> & { definition: PromptDefinition<Input, Types> } = { definition };
  let holders = 0;
  const run = createRun(definition, { id, log, storage });
  const { configure, subscribe } = run;
  if (storage === undefined) hydrated.add(run);

  // onto the run itself: a copy would read `restored`, and with it the storage, during the render
  const shared = Object.assign(run, {
    held: false,
    configure(settings: RunConfig<Input, Types>): void {
      config = { ...config, ...settings };
      const { definition: latest, defaults = {}, executor, model, options, ...unknown } = config;
      configure({
        // the run ends with an error that names what is missing
        ...unknown,
        definition: latest,
        executor: executor ?? defaults.executor,
        model: model ?? defaultModel(latest, executor, defaults),
        options: mergeOptions(defaults.options, options),
      });
    },
    subscribe(listener: (state: RunState<Types>) => void): () => void {
      onUse(shared);
      return subscribe(listener);
    },
    hold(): (onLast: 'keep' | 'stop') => void {
      holders += 1;
      shared.held = true;
      let isHolder = true;
      return (onLast) => {
        if (!isHolder) return;
        isHolder = false;
        holders -= 1;
        shared.held = holders > 0;
        // a component that only moves, and StrictMode's trial unmount, hold the run again before this
        queueMicrotask(() => {
          if (shared.held) return;
          if (onLast === 'stop') run.stopHere();
          onRelease(shared);
        });
      };
    },
  });
  shared.configure(settings);
  const unlisten = run.listen(() => {
    unlisten();
    onUse(shared);
  });
  return shared;
}

/**
 * The model of a component that names none. A route has the model of its prompt, so it gets only the one that stands
 * beside it in the defaults.
 */
function defaultModel(
  definition: Pick<PromptDefinition<never>, 'model'>,
  executor: RunSettings['executor'],
  defaults: RunSettings,
): RunSettings['model'] {
  if (!isRoute(executor ?? defaults.executor)) return definition.model ?? defaults.model;
  const hasOwnModel = definition.model !== undefined || (executor ?? defaults.executor) !== defaults.executor;
  return hasOwnModel ? undefined : defaults.model;
}

/** True for an executor that runs a server's prompts. */
export function isRoute(executor: RunSettings['executor']): boolean | undefined {
  return (executor as { remote?: boolean } | undefined)?.remote;
}

/** The second set of options over the first; undefined if there is neither. */
export function mergeOptions(
  under: PromptOptions | undefined,
  over: PromptOptions | undefined,
): PromptOptions | undefined {
  return under && over ? { ...under, ...over } : (over ?? under);
}
