import type { DryRun, DryRunConfig } from '../engine/run-dry-run.ts';
import { loadRunner } from '../executors/load-runner.ts';
import type { PromptSource } from '../prompt/prompt-options.ts';
import type { Plugin } from '../prompt/prompt.ts';

/**
 * Returns the request that `runPrompt` would send, without sending it. No model is called, loaded or looked up,
 * so it needs neither a key nor a model, and no tool and no agent runs. What compiles the request does run:
 * plugins, the prompt function, the first task's `extend`, hooks and `prepareStep`. Callbacks and telemetry are
 * not called.
 *
 * With `step: n`, hooks and `prepareStep` are called for the steps from 0 to n, with no answers in between: the
 * messages stay those that the run starts with, and the first task stays current. Mistakes throw what they
 * throw in a run.
 *
 * @example
 * const { request, tokens } = await dryRun(planDay, { input: { city: 'Faro' }, step: 1 });
 * console.log(request.instructions, tokens.total);
 */
export function dryRun(source: PromptSource): Promise<DryRun>;
export function dryRun<Input = void, const Plugins extends readonly Plugin[] = readonly []>(
  source: PromptSource<Input, Plugins>,
  config: DryRunConfig<Input, Plugins>,
): Promise<DryRun>;
export async function dryRun<Input, Plugins extends readonly Plugin[]>(
  source: PromptSource<Input, Plugins>,
  // a caller who leaves it out has a prompt without input
  config: DryRunConfig<Input, Plugins> = {} as DryRunConfig<Input, Plugins>,
): Promise<DryRun> {
  const { runDryRun } = await loadRunner();
  return runDryRun(source, config);
}
