import type { Plugin } from '../prompt/define-plugin.ts';
import type { DryRun, DryRunConfig } from '../engine/run-dry-run.ts';
import { loadRunner } from '../executors/load-runner.ts';
import type { PromptSource } from '../prompt/prompt-options.ts';

/**
 * The request that `runPrompt` would send, without sending it: no model is called, loaded or looked up, so it takes
 * neither a key nor even a model, and no tool and no agent runs. What compiles the request does run: plugins, the
 * prompt function, the first task's `extend`, hooks and `prepareStep`. Callbacks and telemetry are not told.
 *
 * With `step: n`, hooks and `prepareStep` are asked for the steps from 0 to n, with no answers in between: the messages
 * stay those that the run starts with, and the first task stays current. Mistakes throw what they throw in a run.
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
  // whoever leaves it out has a prompt without input
  config: DryRunConfig<Input, Plugins> = {} as DryRunConfig<Input, Plugins>,
): Promise<DryRun> {
  const { runDryRun } = await loadRunner();
  return runDryRun(source, config);
}
