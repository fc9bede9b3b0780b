import type { UIMessage } from 'ai';
import type { CuelineError } from '../errors.ts';
import { LOG_VERSION, type RunEvent } from '../log/events.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { EditReply } from '../tasks/task.ts';
import type { Executor, RunCommand, RunRequest } from './executor.ts';
import type { LiveRun } from './live-run.ts';
import { runPrompt } from './run-prompt.ts';
import { watch } from './watch.ts';

/**
 * Runs prompts right here, in this page or process. `models` says where models come from (environment, providers,
 * fetch). A mistake that keeps a run from starting becomes a run that ends with that error.
 */
export function inProcess(models: ModelSettings = {}): Executor {
  /** The runs that are under way, by their ids. */
  const runs = new Map<string, LiveRun>();
  return {
    start: (request, signal) => watch(() => start(request, signal, models, runs)),
    attach(runId, afterSeq, signal) {
      const run = runs.get(runId);
      if (run === undefined) return undefined;
      if (signal.aborted) run.stop();
      else signal.addEventListener('abort', () => run.stop(), { once: true });
      return run.events(afterSeq);
    },
    send(runId, command) {
      const run = runs.get(runId);
      return run === undefined
        ? { accepted: false, reason: 'The run is not under way.' }
        : tell(run, command);
    },
  };
}

/** Gives a command to a run that is under way right here. */
export function tell(run: LiveRun, command: RunCommand): EditReply {
  return command.type === 'edit'
    ? run.edit(command.edit, command.agent)
    : run.respond(command.requestId, command.answer);
}

async function start<Input>(
  request: RunRequest<Input>,
  signal: AbortSignal,
  models: ModelSettings,
  runs: Map<string, LiveRun>,
): Promise<AsyncIterator<RunEvent> | Iterator<RunEvent>> {
  const { definition, input, model, options, messages, tasks } = request;
  const signals = options?.abortSignal === undefined ? [signal] : [signal, options.abortSignal];
  let run;
  try {
    ({ run } = await runPrompt(definition, {
      ...models,
      input,
      model,
      messages,
      tasks,
      options: { ...options, abortSignal: AbortSignal.any(signals) },
    }));
  } catch (error) {
    if (signals.some(({ aborted }) => aborted)) return failedStart(definition.name, undefined, messages);
    const { describeFailure } = await import('./script-error.ts');
    const failure = describeFailure(error, input, models);
    return failedStart(definition.name, failure.error, messages, failure.input);
  }
  const { id } = run;
  runs.set(id, run);
  // whoever watches may go away before the run does
  run.listen(({ type }) => {
    if (type === 'run-end') runs.delete(id);
  });
  const events = run.events()[Symbol.asyncIterator]();
  if (run.log().at(-1)?.type === 'run-end') runs.delete(id);
  return events;
}

/** The log of a run that never got to its first step; without an error, because it was stopped. `input` is plain JSON. */
export function* failedStart(
  name: string,
  error: CuelineError | undefined,
  messages: readonly UIMessage[] = [],
  input?: unknown,
): Generator<RunEvent> {
  yield {
    seq: 0,
    t: 0,
    type: 'run-start',
    v: LOG_VERSION,
    runId: '',
    ...(name === '' ? {} : { name }),
    model: '',
    ...(input === undefined ? {} : { input }),
    messages: [...messages],
    ...(messages.length === 0 ? {} : { turns: messages.length }),
    messageId: '',
  };
  yield error === undefined
    ? { seq: 1, t: 0, type: 'run-end', outcome: 'stopped' }
    : { seq: 1, t: 0, type: 'run-end', outcome: 'error', error: error.toJSON() };
}
