import type {
  ClientTools,
  EditReply,
  LocalExecutor,
  PromptDefinition,
  PromptFunction,
  PromptTypes,
  ApprovalResponse,
  ClientToolResponse,
  RetryOptions,
  RunEvent,
  RunSettings,
  SendMessage,
  SendOptions,
  StartOptions,
  TextPrompt,
} from '@cueline/core';
import { useContext, useInsertionEffect, useMemo, useRef } from 'react';
import { inlinePrompt } from './inline-prompt.ts';
import { PromptContext } from './prompt-provider.ts';
import type { RunConfig, SharedRun } from './shared-run.ts';
import type { Throttle } from './subscribe-throttled.ts';
import { useClientTools } from './use-client-tools.ts';
import { useLatest, type LatestRef } from './use-latest.ts';
import { useRunCallbacks, type RunCallbacks } from './use-run-callbacks.ts';
import { useRun } from './use-run.ts';
import { useSharedRun } from './use-shared-run.ts';
import {
  isShallowEqual,
  pickWatched,
  type Watch,
  type WatchedField,
  type WatchedState,
} from './watched-fields.ts';

/** `model`, `executor` and `options` are used by the next start; default: the provider's. */
export type UsePromptOptions<
  Types extends PromptTypes = PromptTypes,
  Watched extends Watch = readonly WatchedField[],
> = RunSettings &
  RunCallbacks<Types> & {
    /**
     * The same id anywhere under a `PromptProvider` is the same run, and it outlives every component that shows it.
     * Without one, the run belongs to this component.
     */
    id?: string | undefined;
    /**
     * The fields of the state that re-render this component, and the only ones that it gets; `status` includes
     * `error`, `result` and `finishReason`. `false` for none. Default: all.
     */
    watch?: Watched | undefined;
    /**
     * What happens to a run when the last component that shows it in this page unmounts, or an Activity hides it;
     * default `keep`. `stop` leaves a run that another tab works on to that tab.
     */
    onUnmount?: 'keep' | 'stop' | undefined;
    /**
     * How often the component re-renders during the run: once a frame (default), or at most once in this many
     * milliseconds.
     */
    throttle?: Throttle | undefined;
    /**
     * The page's functions for the prompt's client tools, which are declared without a function. Each call runs
     * once, in one component of one page; it waits while no mounted component has its function.
     */
    tools?: ClientTools<Types> | undefined;
    /** The log of a run that is not known here yet, such as one that a server has rendered. */
    initialLog?: readonly RunEvent[] | undefined;
  };

/**
 * The options of `usePrompt` with a function instead of a definition: a server knows only definitions by name, so there
 * is no `viaRoute`.
 */
export type UseInlinePromptOptions<Watched extends Watch = readonly WatchedField[]> = Omit<
  UsePromptOptions<TextPrompt, Watched>,
  'executor'
> & { executor?: LocalExecutor | undefined };

/** The actions on a run. They keep their identity from render to render. */
export type RunActions<Input = void, Types extends PromptTypes = PromptTypes> = {
  /**
   * Starts anew; a run that is in progress is stopped first, unless `whenBusy` says otherwise. Starting again
   * with the same `key` does nothing, so a start in a mount effect is one start in StrictMode, too. Resolves
   * with the result, and rejects with the run's error; the state says the same, so the promise may be ignored.
   */
  readonly start: (input: Input, options?: StartOptions) => Promise<Types['output']>;
  /** Continues the conversation with a user message. Resolves as `start` does. */
  readonly send: (message: SendMessage, options?: SendOptions) => Promise<Types['output']>;
  /** Ends the run as `stopped`; the answer so far stays. */
  readonly stop: () => void;
  /** Repeats the last turn, from the first incomplete step or from a given one. Resolves as `start` does. */
  readonly retry: (options?: RetryOptions) => Promise<Types['output']>;
  /**
   * Responds to a pending approval of `approvals`, with `{ approved: true, input? }` or `{ approved: false, reason? }`.
   */
  readonly respondToApproval: (approvalId: string, response: ApprovalResponse) => Promise<EditReply>;
  /**
   * Responds to a pending call of `clientToolCalls`, with `{ output }` or `{ error }`. The functions of `tools`
   * answer their calls themselves.
   */
  readonly respondToClientTool: (clientCallId: string, response: ClientToolResponse) => Promise<EditReply>;
  /**
   * The run itself: its log and its past, task edits, and subscriptions for other hooks and for code outside React.
   */
  readonly run: SharedRun<Input, Types>;
};

/** The state of a run, or its watched fields, and the actions on it. */
export type PromptRun<
  Input = void,
  Types extends PromptTypes = TextPrompt,
  Watched extends Watch = readonly WatchedField[],
> = WatchedState<Types, Watched> & RunActions<Input, Types>;

/** The types of a definition. */
type TypesIn<Definition> = Definition extends PromptDefinition<never, infer Types> ? Types : never;

/** The run of a definition; of one of several definitions, the run of one of them. */
type RunOf<Definition, Watched extends Watch> =
  Definition extends PromptDefinition<infer Input, infer Types> ? PromptRun<Input, Types, Watched> : never;

/**
 * The state of a prompt's run, and the actions on it. Nothing starts by itself. Takes a definition of
 * `definePrompt`, or a prompt function, which may stand in the component: each start calls the function of the
 * last render. Re-renders at most once a frame.
 *
 * @example
 * const plan = usePrompt(planDay, { id: 'today', model: 'openai:gpt-4o' });
 * return <button onClick={() => void plan.start({ city: 'Lisbon' })}>{plan.status === 'running' ? plan.text : 'Plan'}</button>;
 */
export function usePrompt<
  Input = void,
  Types extends PromptTypes = TextPrompt,
  const Watched extends Watch = readonly WatchedField[],
>(
  source: PromptDefinition<Input, Types>,
  options?: UsePromptOptions<Types, Watched>,
): PromptRun<Input, Types, Watched>;
/**
 * The run of one of several prompts, such as `usePrompt(isExpert ? review : explain)`. Without an `id`, each has its
 * own run.
 */
export function usePrompt<Definition extends PromptDefinition<never>, const Watched extends Watch>(
  source: Definition,
  options?: UsePromptOptions<TypesIn<Definition>, Watched>,
): RunOf<Definition, Watched>;
export function usePrompt<Input = void, const Watched extends Watch = readonly WatchedField[]>(
  source: PromptFunction<Input>,
  options?: UseInlinePromptOptions<Watched>,
): PromptRun<Input, TextPrompt, Watched>;
export function usePrompt<Input, Types extends PromptTypes, const Watched extends Watch>(
  source: PromptFunction<Input> | PromptDefinition<Input, Types>,
  options: UsePromptOptions<Types, Watched> = {},
): PromptRun<Input, Types, Watched> {
  const {
    id,
    watch,
    onUnmount = 'keep',
    throttle,
    initialLog,
    tools,
    onEvent,
    onDone,
    onError,
    ...settings
  } = options;
  const { defaults } = useContext(PromptContext);
  // a plain function answers with text and declares no tools, as its types say
  const definition = (
    typeof source === 'object' ? source : inlinePrompt('usePrompt', id, source)
  ) as PromptDefinition<Input, Types>;
  const config = { definition, ...withoutUndefined(settings), defaults };
  const run = useSharedRun(id, { ...config, log: initialLog }, onUnmount);
  const latest = useConfig(run, config);

  const state = useRun(run, (whole) => pickWatched(whole, watch), isShallowEqual, throttle);
  useClientTools(run, tools);
  useRunCallbacks(run, { onEvent, onDone, onError });

  const actions = useMemo<RunActions<Input, Types>>(() => {
    // components that share a run may have different settings: those of the acting component count
    const configured = (): SharedRun<Input, Types> => {
      run.configure(latest.current);
      return run;
    };
    return {
      start: (input, startOptions) => configured().start(input, startOptions),
      send: (message, sendOptions) => configured().send(message, sendOptions),
      retry: (retryOptions) => configured().retry(retryOptions),
      stop: run.stop,
      respondToApproval: run.respondToApproval,
      respondToClientTool: run.respondToClientTool,
      run,
    };
  }, [run, latest]);
  return useMemo(() => ({ ...state, ...actions }), [state, actions]) as PromptRun<Input, Types, Watched>;
}

/** Gives the run this component's settings, takes back those that it no longer has, and returns the latest ones. */
function useConfig<Input, Types extends PromptTypes>(
  run: SharedRun<Input, Types>,
  config: RunConfig<Input, Types>,
): LatestRef<RunConfig<Input, Types>> {
  const latest = useLatest(config);
  const before = useRef<{ run: object; config: object }>(null);
  useInsertionEffect(() => {
    const takenBack = before.current?.run === run ? Object.keys(before.current.config) : [];
    run.configure({ ...Object.fromEntries(takenBack.map((key) => [key, undefined])), ...config });
    before.current = { run, config };
  });
  return latest;
}

/** Only given settings: `model={undefined}` keeps the model of another component. */
function withoutUndefined(settings: RunSettings): RunSettings {
  return Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined));
}
