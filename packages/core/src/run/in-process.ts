import type { UIMessage } from 'ai';
import type { CuelineError } from '../errors.ts';
import { LOG_VERSION, type RunEvent } from '../log/events.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { EditReply } from '../tasks/task.ts';
import type { Executor, RunCommand, RunRequest } from './executor.ts';
import type { LiveRun } from './live-run.ts';
import { runPrompt } from './run-prompt.ts';
import { watch } from './watch.ts';

/** The runs that are under way, and those of whose end nobody has heard, by their ids. */
type KnownRuns = Map<string, LiveRun>;

/** How many runs are kept that have ended unheard. */
const MAX_UNHEARD = 32;

/**
 * Runs prompts right here, in this page or process. `models` says where models come from (environment, providers,
 * fetch). A mistake that keeps a run from starting becomes a run that ends with that error.
 */
export function inProcess(models: ModelSettings = {}): Executor {
  const runs: KnownRuns = new Map();
  return {
    start: (request, signal) => watch(() => start(request, signal, models, runs)),
    attach(runId, afterSeq, signal) {
      const run = runs.get(runId);
      if (run === undefined) return undefined;
      if (signal.aborted) run.stop();
      else signal.addEventListener('abort', () => run.stop(), { once: true });
      return { [Symbol.asyncIterator]: () => toEnd(run, runs, afterSeq) };
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
  runs: KnownRuns,
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
  runs.set(run.id, run);
  forgetOldest(runs);
  return toEnd(run, runs);
}

/** The events of a run, which is known until somebody has heard of its end: whoever let go of it may come back for it. */
function toEnd(run: LiveRun, runs: KnownRuns, afterSeq?: number): AsyncIterator<RunEvent> {
  const events = run.events(afterSeq)[Symbol.asyncIterator]();
  return {
    async next() {
      const next = await events.next();
      // a moment later, for whoever lets go and comes back in the same breath
      if (next.done !== true && next.value.type === 'run-end') setTimeout(() => runs.delete(run.id));
      return next;
    },
    return: () => events.return?.() ?? Promise.resolve({ done: true, value: undefined }),
  };
}

function forgetOldest(runs: KnownRuns): void {
  const ended = [...runs.values()].filter((run) => run.log().at(-1)?.type === 'run-end');
  for (const { id } of ended.slice(0, Math.max(0, ended.length - MAX_UNHEARD))) runs.delete(id);
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
