import type { WorkListener } from '../base/track-work.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { Executor } from './executor.ts';
import { loadRunner } from './load-runner.ts';
import { openLazily } from './open-lazily.ts';
import type { KnownRuns } from './start-in-process.ts';

/** Options of {@link inProcess} besides the models. */
export type InProcessOptions = {
  /**
   * Called with a promise for each call of a prompt's own functions, such as its tools and hooks. It resolves once
   * the function has really ended, which may be after its run if the function ignores the signal. It never rejects. A
   * server that limits concurrent work counts these promises.
   */
  onWork?: WorkListener | undefined;
};

/**
 * Runs prompts in this page or process. `models` says where models come from (environment, providers, fetch). A
 * mistake that keeps a run from starting becomes a run that ends with that error.
 */
export function inProcess(models: ModelSettings = {}, options?: InProcessOptions): Executor {
  return inProcessWith(() => models, options);
}

/** Does the same with settings that are read when a run starts. */
export function inProcessWith(
  models: () => ModelSettings | Promise<ModelSettings>,
  { onWork }: InProcessOptions = {},
): Executor {
  const runs: KnownRuns = new Map();
  return {
    continuesAgents: true,
    start: (request, signal) =>
      openLazily(async () => {
        const [runner, settings] = await Promise.all([loadRunner(), models()]);
        return runner.startInProcess(request, signal, settings, runs, onWork);
      }),
    attach: (runId, afterSeq, signal) => runs.get(runId)?.attach(afterSeq, signal),
    send: (runId, command) =>
      runs.get(runId)?.send(command) ?? { accepted: false, reason: 'The run is not in progress.' },
  };
}
