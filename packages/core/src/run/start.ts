import type { UIMessage } from 'ai';
import { createId } from '../base/create-id.ts';
import type { Executor } from '../executors/executor.ts';
import { inProcess } from '../executors/in-process.ts';
import { countPromptMessages, lastRunId } from '../log/log-queries.ts';
import type { AttemptInput } from './attempt-input.ts';
import { openAttempt } from './open-attempt.ts';
import { refuseSettings } from './refuse-settings.ts';
import type { RunInternals } from './run-internals.ts';
import { notify, requesting, stateOf } from './run-state.ts';
import type { SendOptions, StartOptions } from './run.ts';

/** Starts the shown conversation again, with the key of its first start and the steps that a retry keeps. */
export function continueConversation(run: RunInternals, conversation: AttemptInput): Promise<unknown> {
  // a conversation may begin with a message; a prompt with an input has been started with it
  return start(run, run.lastInput, conversation, run.attempts.shown?.key);
}

/**
 * Starts the prompt with the current settings. `key` finds the start in this run, and `requestKey` at the executor:
 * there, a later turn differs from the first one, and a start without an answer can be sent again.
 */
function start(
  run: RunInternals,
  input: unknown,
  { shows, events = [], signal, settings = run.settings, ...conversation }: AttemptInput,
  key: string | undefined,
  requestKey: string = createId('start'),
): Promise<unknown> {
  const { log, writer } = run;
  const { definition, model, options, executor = inProcess(), ...unknown } = settings;
  run.lastInput = input;
  if (writer !== undefined) run.storageError = undefined;
  run.starting = { ...requesting, messages: [...shows] };
  const calls = writer?.calls();
  const attempt = openAttempt(run, {
    request: {
      definition,
      // each definition has its own input
      input: input as never,
      model,
      options,
      ...conversation,
      previousRunId: conversation.tasks.length === 0 ? undefined : lastRunId(log.events),
      key: requestKey,
      whenStored: calls?.whenStored,
    },
    events,
    key,
    // `executor: viaRoute`, without its call, is no executor
    executor:
      refuseSettings(definition, (executor as Partial<Executor>).start ? unknown : { executor }) ?? executor,
    calls,
  });
  const stop = (): void => attempt.stop();
  signal?.addEventListener('abort', stop, { once: true });
  const removeListener = (): void => signal?.removeEventListener('abort', stop);
  void attempt.result.then(removeListener, removeListener);
  notify(run);
  return attempt.result;
}

/**
 * Starts the prompt anew with these settings, or finds the start that `key` names. If the run is busy, does what
 * `whenBusy` says.
 */
export function requestStart(
  run: RunInternals,
  settings: RunInternals['settings'],
  input: unknown,
  options: StartOptions,
): Promise<unknown> {
  const { key, signal } = options;
  return (
    run.attempts.find(key) ??
    run.attempts.request(
      () => start(run, input, { messages: [], tasks: [], shows: [], signal, settings }, key, key),
      options,
    )
  );
}

/** Starts the next turn of the shown conversation with these settings, and with a message of the user. */
export function requestTurn(
  run: RunInternals,
  settings: RunInternals['settings'],
  { parts }: Pick<UIMessage, 'parts'>,
  options: SendOptions,
): Promise<unknown> {
  return run.attempts.request(() => {
    const { messages, tasks } = stateOf(run);
    const shows: UIMessage[] = [...messages, { id: createId('msg'), role: 'user', parts }];
    const turns = shows.slice(countPromptMessages(run.log.events));
    return continueConversation(run, { messages: turns, tasks, shows, signal: options.signal, settings });
  }, options);
}
