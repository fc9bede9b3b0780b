import { createId } from '../base/create-id.ts';
import { createClientToolRunner, type ClientTools } from '../client-tools/client-tools.ts';
import { openLazily } from '../executors/open-lazily.ts';
import { logUpTo, wholeLog } from '../log/log-queries.ts';
import { createRunLog } from '../log/run-log.ts';
import type { PromptTypes, RunState } from '../log/state.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import { createAttempts } from './attempts.ts';
import { withRetryCode } from './load-retries.ts';
import { attachOrFail, attachShown, reconnect } from './open-attempt.ts';
import { refuseOptions } from './refuse-settings.ts';
import { stopped } from './refused.ts';
import { createRestoring } from './restore-run.ts';
import { createRunCommands } from './run-commands.ts';
import type { RunInternals } from './run-internals.ts';
import { notify, stateOf, subscribe } from './run-state.ts';
import type { RetryOptions, Run, RunOptions } from './run.ts';
import { readSendMessage, refuseMessage } from './send-message.ts';
import { continueConversation, requestStart, requestTurn } from './start.ts';

/** Creates a run of `definition` that has not started. */
export function createRun<Input = void, Types extends PromptTypes = PromptTypes>(
  definition: PromptDefinition<Input, Types>,
  options: RunOptions<Types> = {},
): Run<Input, Types> {
  return createRunWith(definition, options, undefined);
}

/**
 * `lastInput` is the input that the log in `options` was started with, if it is known more exactly than the log has
 * it.
 */
function createRunWith<Input, Types extends PromptTypes>(
  definition: PromptDefinition<Input, Types>,
  options: RunOptions<Types>,
  lastInput: Input | undefined,
): Run<Input, Types> {
  const { id = createId('run'), storage, log, schedule, tools, ...settings } = options;
  const past = log === undefined || log?.length === 0 ? [] : wholeLog('createRun', log);
  const run: RunInternals = {
    // an executor takes every prompt, each with its own input
    settings: { ...settings, definition: definition as unknown as PromptDefinition<unknown> },
    lastInput,
    log: createRunLog({ events: past }),
    attempts: createAttempts(() => notify(run), attachOrFail),
    clientTools: createClientToolRunner(),
    schedule,
    stops: 0,
    subscribers: new Set(),
    listeners: new Set(),
  };
  const { attempts, clientTools } = run;
  if (tools !== undefined) clientTools.provide(tools);
  const starts = { reconnect, continueConversation };
  const retry = (options?: RetryOptions): Promise<unknown> =>
    withRetryCode(run, ({ retryRun }) => retryRun(run, starts, options));
  const restoring = createRestoring(run, past, { id, storage, retry, stop });
  const { restored, whenRestored } = restoring;

  // a definition's types are those of its logs
  const getState = (): RunState<Types> => stateOf(run);

  function stop(here?: boolean): void {
    run.stops += 1;
    restoring.stop(() => attempts.stop(here && run.writer?.leave?.()));
  }

  /**
   * Runs an action that continues the shown run, in one tab only, unless the run is stopped while it waits for the
   * other tabs. `ends`: if another tab ends the run, the action is not needed.
   */
  function alone(action: () => Promise<unknown>, ends = false): Promise<unknown> {
    const before = run.stops;
    const act = (): Promise<unknown> => (run.stops === before ? action() : stopped());
    return run.writer?.alone(act, ends) ?? action();
  }

  return {
    id,
    get definition() {
      return run.settings.definition as unknown as PromptDefinition<Input, Types>;
    },
    getState,
    subscribe(listener) {
      const unsubscribe = subscribe(run, listener);
      void restored();
      return unsubscribe;
    },
    listen(listener) {
      run.listeners.add(listener);
      return () => run.listeners.delete(listener);
    },
    events: (afterSeq) =>
      openLazily(async () => {
        await restored();
        return run.log.read(afterSeq)[Symbol.asyncIterator]();
      }),
    get finished() {
      const end = restored().then(() => attempts.shown?.result);
      return end.then(getState, getState);
    },
    configure(changed) {
      run.settings = { ...run.settings, ...(changed as Partial<RunInternals['settings']>) };
    },
    start(input, options = {}) {
      const { whenBusy: _whenBusy, key: _key, ...unknown } = options;
      // with the settings of this moment, also if it waits
      const request = requestStart.bind(undefined, run, run.settings, input, options);
      return refuseOptions(run, unknown) ?? whenRestored(request, options);
    },
    send(given, options = {}) {
      const message = readSendMessage(given);
      if (message === undefined) return refuseMessage(given);
      const { whenBusy, ...unknown } = options;
      const request = requestTurn.bind(undefined, run, run.settings, message, options);
      return (
        refuseOptions(run, unknown) ??
        whenRestored(() => (whenBusy === undefined ? alone(request) : request()), options)
      );
    },
    retry: (options) => whenRestored(() => alone(() => retry(options), options?.from === undefined)),
    ...createRunCommands(attempts),
    provideTools: clientTools.provide,
    stop: () => stop(),
    stopHere: () => stop(true),
    detach: attempts.detach,
    attach: () => attachShown(run, starts),
    log: () => run.log.events,
    at: (seq) => run.log.at(seq),
    fork(seq = Infinity) {
      const { definition: latest, ...rest } = run.settings;
      return createRunWith<Input, Types>(
        latest as unknown as PromptDefinition<Input, Types>,
        {
          ...rest,
          tools: clientTools.all() as ClientTools<Types>,
          storage,
          schedule,
          log: logUpTo(run.log.events, seq),
        },
        run.lastInput as Input,
      );
    },
    get restored() {
      return restored();
    },
  };
}
