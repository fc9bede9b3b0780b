import type { UIMessage } from 'ai';
import { CuelineError } from '../errors.ts';
import { LOG_VERSION, type RunEvent } from '../log/events.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { EditReply } from '../tasks/task.ts';
import type { Executor, RunCommand, RunRequest } from './executor.ts';
import type { LiveRun } from './live-run.ts';
import { runPrompt } from './run-prompt.ts';

/**
 * Runs prompts right here, in this page or process. `models` says where models come from (environment, providers,
 * fetch). A mistake that keeps a run from starting becomes a run that ends with that error.
 */
export function inProcess(models: ModelSettings = {}): Executor {
  /** The runs that are under way, by their ids. */
  const runs = new Map<string, LiveRun>();
  return {
    start: (request, signal) => start(request, signal, models, runs),
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

async function* start<Input>(
  request: RunRequest<Input>,
  signal: AbortSignal,
  models: ModelSettings,
  runs: Map<string, LiveRun>,
): AsyncGenerator<RunEvent> {
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
    const stopped = signals.some(({ aborted }) => aborted);
    for (const event of failedStart(definition.name, await startError(error, models), messages ?? [])) {
      if (!stopped || event.type !== 'run-end') yield event;
      else yield { seq: event.seq, t: event.t, type: 'run-end', outcome: 'stopped' };
    }
    return;
  }
  runs.set(run.id, run);
  try {
    yield* run.events();
  } finally {
    runs.delete(run.id);
  }
}

/** The log of a run that never got to its first step. */
export function* failedStart(
  name: string,
  error: CuelineError,
  messages: readonly UIMessage[] = [],
): Generator<RunEvent> {
  yield {
    seq: 0,
    t: 0,
    type: 'run-start',
    v: LOG_VERSION,
    runId: '',
    ...(name === '' ? {} : { name }),
    model: '',
    messages: [...messages],
    messageId: '',
  };
  yield { seq: 1, t: 0, type: 'run-end', outcome: 'error', error: error.toJSON() };
}

async function startError(error: unknown, models: ModelSettings): Promise<CuelineError> {
  if (CuelineError.isInstance(error)) return error;
  const { toScriptError } = await import('./script-error.ts');
  return toScriptError(error, models);
}
