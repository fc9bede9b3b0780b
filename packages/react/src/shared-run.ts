import {
  createRun,
  type PromptDefinition,
  type PromptOptions,
  type PromptTypes,
  type Run,
  type RunOptions,
  type RunSettings,
} from '@cueline/core';

/**
 * What a run's next start uses. A field that is left out stays as it was said before; one that is there but undefined
 * goes back to the default.
 */
export type RunConfig<Input, Types extends PromptTypes = PromptTypes> = RunSettings & {
  definition?: PromptDefinition<Input, Types>;
  /** What holds where nothing else is said. */
  defaults?: RunSettings;
};

/** A run that several components, and code outside React, may hold at once. */
export type SharedRun<Input = void, Types extends PromptTypes = PromptTypes> = Omit<
  Run<Input, Types>,
  'configure'
> & {
  /** Says what the next start uses; what is under way goes on as it is. */
  configure(config: RunConfig<Input, Types>): void;
  /** Counts a holder of this run. Returns the way to let go, and there says whether the last one to go stops the run. */
  hold(): (onLast: 'keep' | 'stop') => void;
  /** True while a component shows it. */
  readonly held: boolean;
};

/** What a shared run begins with, and who is told of those that hold it. */
export type SharedRunInit<Input, Types extends PromptTypes> = Pick<RunOptions, 'log' | 'storage'> &
  RunConfig<Input, Types> & {
    /** The last holder has gone. */
    onLetGo?: () => void;
    /** Somebody watches it, or something has happened to it. */
    onUse?: () => void;
  };

/** Runs of which it is known what their storage had. */
export const hydrated: WeakSet<object> = new WeakSet();

/** A run that has not started, and that reads its model, executor, options and definition anew at every start. */
export function createSharedRun<Input, Types extends PromptTypes>(
  id: string,
  definition: PromptDefinition<Input, Types>,
  { log, storage, onLetGo, onUse, ...said }: SharedRunInit<Input, Types> = {},
): SharedRun<Input, Types> {
  let config: RunConfig<Input, Types> & { definition: PromptDefinition<Input, Types> } = { definition };
  let holders = 0;
  const run = createRun(definition, { id, log, storage });
  const { configure, subscribe } = run;
  if (storage === undefined) hydrated.add(run);

  const sharing: Pick<SharedRun<Input, Types>, 'configure' | 'hold' | 'held' | 'subscribe'> = {
    get held() {
      return holders > 0;
    },
    configure(said) {
      config = { ...config, ...said };
      const { definition: latest, defaults = {}, executor, model, options, ...unknown } = config;
      configure({
        // the run ends with an error that names what does not exist
        ...unknown,
        definition: latest,
        executor: executor ?? defaults.executor,
        model: model ?? latest.model ?? defaults.model,
        options: mergeOptions(defaults.options, options),
      });
    },
    subscribe(listener) {
      onUse?.();
      return subscribe(listener);
    },
    hold() {
      holders += 1;
      let held = true;
      return (onLast) => {
        if (!held) return;
        held = false;
        holders -= 1;
        // a component that is only moved, and StrictMode's trial unmount, take hold again before this
        queueMicrotask(() => {
          if (holders > 0) return;
          if (onLast === 'stop') run.stop();
          onLetGo?.();
        });
      };
    },
  };
  sharing.configure(said);
  const unlisten = run.listen(() => {
    unlisten();
    onUse?.();
  });
  // onto the run itself: a copy of it would read `restored`, and with it the storage, while rendering
  return Object.defineProperties(run, Object.getOwnPropertyDescriptors(sharing)) as typeof run &
    typeof sharing;
}

/** The second set of options over the first; undefined where there is neither. */
export function mergeOptions(
  under: PromptOptions | undefined,
  over: PromptOptions | undefined,
): PromptOptions | undefined {
  return under && over ? { ...under, ...over } : (over ?? under);
}
