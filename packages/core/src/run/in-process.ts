import type { UIMessage } from 'ai';
import { CuelineError } from '../errors.ts';
import { LOG_VERSION, type RunEvent } from '../log/events.ts';
import { createModels } from '../models/create-models.ts';
import { toRunError } from '../models/run-error.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { Executor, RunRequest } from './executor.ts';
import { runPrompt } from './run-prompt.ts';

/**
 * Runs prompts right here, in this page or process. `models` says where models come from (environment, providers,
 * fetch). A mistake that keeps a run from starting becomes a run that ends with that error.
 */
export function inProcess(models: ModelSettings = {}): Executor {
  return { start: (request, signal) => start(request, signal, models) };
}

async function* start<Input>(
  request: RunRequest<Input>,
  signal: AbortSignal,
  models: ModelSettings,
): AsyncGenerator<RunEvent> {
  const { definition, input, model, options, messages } = request;
  const signals = options?.abortSignal === undefined ? [signal] : [signal, options.abortSignal];
  let run;
  try {
    ({ run } = await runPrompt(definition, {
      ...models,
      input,
      model,
      messages,
      options: { ...options, abortSignal: AbortSignal.any(signals) },
    }));
  } catch (error) {
    yield* failedStart(definition.name, toScriptError(error, createModels(models).secrets()), messages ?? []);
    return;
  }
  yield* run.events();
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

/** What a prompt function threw: our own errors as they are, others as the script's. */
function toScriptError(error: unknown, secrets: readonly string[]): CuelineError {
  if (CuelineError.isInstance(error)) return error;
  if (error instanceof Error && !error.name.startsWith('AI_')) {
    return new CuelineError('script_error', `The prompt function threw: ${error.message}`, { cause: error });
  }
  return toRunError(error, secrets);
}
