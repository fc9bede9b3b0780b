import { inProcess, type ModelSettings, type RunSettings, type RunStorage } from '@cueline/core';
import {
  createContext,
  createElement,
  useContext,
  useMemo,
  useState,
  type Context,
  type ReactElement,
  type ReactNode,
} from 'react';
import { createRunRegistry, type RunRegistry } from './run-registry.ts';
import { isRoute, mergeOptions } from './shared-run.ts';

/** The props of {@link PromptProvider}. */
export type PromptProviderProps = RunSettings & {
  /** Where models come from, for runs in this page: providers, keys, `fetch`. An `executor` takes precedence. */
  models?: ModelSettings | undefined;
  /** Stores the runs that have an id, such as `indexedDbStorage()`. Default: nothing is stored. */
  persist?: RunStorage | undefined;
  /**
   * The registry of the runs; default: the surrounding provider's, and for the outermost provider a new one for each
   * `scope` of `persist`.
   */
  registry?: RunRegistry | undefined;
  children?: ReactNode;
};

/** The values that a provider gives to the components below it. */
export type PromptContextValue = {
  registry?: RunRegistry | undefined;
  storage?: RunStorage | undefined;
  defaults: RunSettings;
};

/** The context of {@link PromptProvider}. */
export const PromptContext: Context<PromptContextValue> = createContext<PromptContextValue>({ defaults: {} });

/**
 * Keeps runs by id for all components below it, and sets the defaults of their runs. Inside another provider it
 * shares that one's runs and changes only what it names.
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
  const [ownFor] = useState(createRegistries);
  const here = useMemo(() => executor ?? (models && inProcess(models)), [executor, models]);
  const value = useMemo<PromptContextValue>(
    () => ({
      registry: registry ?? outer.registry ?? ownFor(persist?.scope),
      storage: persist ?? outer.storage,
      defaults: {
        executor: here ?? outer.defaults.executor,
        // the model of the surrounding provider is not for the route of this one
        model: model ?? (isRoute(here) ? undefined : outer.defaults.model),
        options: mergeOptions(outer.defaults.options, options),
      },
    }),
    [registry, here, model, options, persist, outer, ownFor],
  );
  return createElement(PromptContext.Provider, { value }, children);
}

/** Creates a registry for each scope of a storage: those of two users may have runs with the same ids. */
function createRegistries(): (scope?: string) => RunRegistry {
  const registries: Record<string, RunRegistry> = {};
  // with a character before it, because a scope may be the name of a method of every object
  return (scope) => (registries[`/${scope}`] ??= createRunRegistry());
}
