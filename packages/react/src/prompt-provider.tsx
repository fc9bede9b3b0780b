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
import { mergeOptions, type RunDefaults } from './shared-run.ts';

export type PromptProviderProps = RunDefaults & {
  /** Where the runs are kept; default: the surrounding provider's registry, and outermost a new one. */
  registry?: RunRegistry;
  children?: ReactNode;
};

/** What components find above them. */
export type PromptSurroundings = { registry: RunRegistry | undefined; defaults: RunDefaults };

/** Where {@link PromptProvider} leaves what it was given. */
export const PromptContext: Context<PromptSurroundings> = createContext<PromptSurroundings>({
  registry: undefined,
  defaults: {},
});

/**
 * Keeps runs by id for everything below it, and says where they happen unless a component says otherwise. Inside
 * another provider it shares that one's runs and changes only what it names.
 */
export function PromptProvider({
  registry,
  executor,
  model,
  options,
  children,
}: PromptProviderProps): ReactElement {
  const outer = useContext(PromptContext);
  // in state, so that on a server every request has its own
  const [own] = useState(createRunRegistry);
  const value = useMemo<PromptSurroundings>(
    () => ({
      registry: registry ?? outer.registry ?? own,
      defaults: {
        executor: executor ?? outer.defaults.executor,
        model: model ?? outer.defaults.model,
        options: mergeOptions(outer.defaults.options, options),
      },
    }),
    [registry, executor, model, options, outer, own],
  );
  return <PromptContext.Provider value={value}>{children}</PromptContext.Provider>;
}
