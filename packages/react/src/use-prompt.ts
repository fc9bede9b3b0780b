import {
  CuelineError,
  definePrompt,
  type PromptDefinition,
  type PromptSource,
  type Run,
  type RunState,
  type SendMessage,
  type StartOptions,
} from '@cueline/core';
import { useContext, useEffect, useId, useInsertionEffect, useMemo, useRef, useState } from 'react';
import { PromptContext } from './prompt-provider.tsx';
import { createRunRegistry } from './run-registry.ts';
import type { RunConfig, RunDefaults, SharedRun } from './shared-run.ts';
import { useLatest, type Latest } from './use-latest.ts';
import { useRunCallbacks, type RunCallbacks } from './use-run-callbacks.ts';
import { useRunState } from './use-run-state.ts';

/** `model`, `executor` and `options` are used by the next start; default: the provider's. */
export type UsePromptOptions = RunDefaults &
  RunCallbacks & {
    /**
     * The same id anywhere under a `PromptProvider` is the same run, and it outlives every component that shows it.
     * Without one, the run belongs to this component.
     */
    id?: string | undefined;
    /** What happens to a run when the last component that shows it goes, or an Activity hides it; default `keep`. */
    onUnmount?: 'keep' | 'stop' | undefined;
  };

/** The state of a run and the ways to move it. `status` says which other fields there are. */
export type PromptRun<Input = void> = RunState & {
  /**
   * Starts afresh; a run that is under way is stopped first. Starting again with the same `key` does nothing, so a
   * start in a mount effect is one start in StrictMode too. Resolves with the text of the answer, and rejects with the
   * run's error; the state says the same, so the promise may be ignored.
   */
  readonly start: (input: Input, options?: StartOptions) => Promise<string>;
  /** Continues the conversation with what the user says. Resolves as `start` does. */
  readonly send: (message: SendMessage) => Promise<string>;
  /** Ends what is under way as `stopped`; what there is of the answer stays. */
  readonly stop: () => void;
  /** The run itself: its log, and subscriptions for code outside React. */
  readonly run: Run<Input>;
};

/**
 * A prompt as state: what it says while it runs, and `start`, `send` and `stop`. Nothing starts by itself. Takes what
 * `definePrompt` returns, or a prompt function, which may be written in the component: each start calls the function
 * of the last render. Re-renders at most once a frame.
 *
 * @example
 * const plan = usePrompt(planDay, { id: 'today', model: 'openai:gpt-4o' });
 * return <button onClick={() => void plan.start({ city: 'Lisbon' })}>{plan.status === 'running' ? plan.text : 'Plan'}</button>;
 */
export function usePrompt<Input = void>(
  source: PromptSource<Input>,
  options: UsePromptOptions = {},
): PromptRun<Input> {
  const { id, onUnmount = 'keep', onEvent, onDone, onError, ...said } = options;
  const { defaults } = useContext(PromptContext);
  const definition = typeof source === 'function' ? definePrompt(id ?? 'inline', source) : source;
  const run = useSharedRun(id, definition);

  const latest = useConfig(run, said, { definition, ...said, defaults });

  const state = useRunState(run);
  useRunCallbacks(run, { onEvent, onDone, onError });
  useEffect(() => {
    const letGo = run.hold();
    return () => letGo(onUnmount);
  }, [run, onUnmount]);

  const moves = useMemo(
    () => ({
      // components that share a run may differ in what they say: the one that acts is the one that counts
      start(input: Input, startOptions?: StartOptions) {
        run.configure(latest.current);
        return run.start(input, startOptions);
      },
      send(message: SendMessage) {
        run.configure(latest.current);
        return run.send(message);
      },
      stop: run.stop,
      run,
    }),
    [run, latest],
  );
  return useMemo(() => ({ ...state, ...moves }), [state, moves]);
}

/** Tells the run what this component says, takes back what it no longer says, and gives the latest of it. */
function useConfig<Input>(
  run: SharedRun<Input>,
  said: RunDefaults,
  config: RunConfig<Input>,
): Latest<RunConfig<Input>> {
  const latest = useLatest(config);
  const saidBefore = useRef<RunDefaults>({});
  useInsertionEffect(() => {
    const takenBack = Object.keys(saidBefore.current).map((key) => [key, undefined]);
    run.configure({ ...(Object.fromEntries(takenBack) as RunDefaults), ...config });
    saidBefore.current = said;
  });
  return latest;
}

/**
 * The run to show: by id from the provider, else this component's own. There is no registry for the whole page,
 * because on a server that would be one for all users, and an id that quietly shared nothing would be a trap.
 */
function useSharedRun<Input>(id: string | undefined, definition: PromptDefinition<Input>): SharedRun<Input> {
  const { registry } = useContext(PromptContext);
  const [own] = useState(createRunRegistry);
  const componentId = useId();
  if (id === undefined) return own.open(`${componentId}${definition.name}`, definition);
  if (registry === undefined) {
    throw new CuelineError(
      'invalid_options',
      `usePrompt was given the id "${id}", but there is no <PromptProvider> above it to keep runs by id. ` +
        'Wrap the app in <PromptProvider>, or leave the id out.',
    );
  }
  return registry.open(id, definition);
}
