import { inProcess, type ModelSettings, type RunSettings, type RunStorage } from '@cueline/core';
import {
  createContext,
  useContext,
  useMemo,
  useState,
  type Context,
  type ReactElement,
  type ReactNode,
} from 'react';
import { createRunRegistry, type RunRegistry } from './run-registry.ts';
import { mergeOptions } from './shared-run.ts';

export type PromptProviderProps = RunSettings & {
  /** Where models come from, for runs in this page: providers, keys, `fetch`. Where there is an `executor`, that counts. */
  models?: ModelSettings;
  /** Keeps the runs that have an id over a reload, such as `indexedDbStorage()`. Default: they are kept nowhere. */
  persist?: RunStorage;
  /** Where the runs are kept; default: the surrounding provider's registry, and outermost a new one. */
  registry?: RunRegistry;
  children?: ReactNode;
};

/** What components find above them. */
export type PromptContextValue = {
  registry: RunRegistry | undefined;
  storage: RunStorage | undefined;
  defaults: RunSettings;
};

/** Where {@link PromptProvider} leaves what it was given. */
export const PromptContext: Context<PromptContextValue> = createContext<PromptContextValue>({
  registry: undefined,
  storage: undefined,
  defaults: {},
});

/**
 * Keeps runs by id for everything below it, and says where they happen unless a component says otherwise. Inside
 * another provider it shares that one's runs and changes only what it names.
 */
export function PromptProvider({
  registry,
  executor,
  models,
  model,
  options,
  persist,
  children,
}: PromptProviderProps): ReactElement {
  const outer = useContext(PromptContext);
  // in state, so that on a server every request has its own
  const [own] = useState(createRunRegistry);
  const here = useMemo(() => executor ?? (models && inProcess(models)), [executor, models]);
  const value = useMemo<PromptContextValue>(
    () => ({
      registry: registry ?? outer.registry ?? own,
      storage: persist ?? outer.storage,
      defaults: {
        executor: here ?? outer.defaults.executor,
        model: model ?? outer.defaults.model,
        options: mergeOptions(outer.defaults.options, options),
      },
    }),
    [registry, here, model, options, persist, outer, own],
  );
  return <PromptContext.Provider value={value}>{children}</PromptContext.Provider>;
}
