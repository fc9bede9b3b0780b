import type { OutputInterface } from 'ai';
import type { RunPromptResult } from '../engine/start-run.ts';
import { loadRunner } from '../executors/load-runner.ts';
import type { PromptTypes } from '../log/state.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import type { PromptConfig, PromptSource, TextOutput } from '../prompt/prompt-options.ts';
import type { Plugin } from '../prompt/prompt.ts';

/** The types of a prompt with an output schema, whose object is known while it arrives. */
type ObjectTypes = PromptTypes & { object: object | string | number | boolean | null };

/**
 * Calls a prompt function, compiles its definitions, and starts the run: model call, tools, model call, … until the
 * model has answered. Mistakes in the prompt, the options or the model's name throw here. Later failures end
 * the run with a `run-end` event, and reject the promises of `result` with the same error.
 *
 * @example
 * const { result } = await runPrompt((prompt) => { prompt.$`Say hello to Ada.`; }, { model: 'openai:gpt-4o' });
 * for await (const text of result.textStream) console.log(text);
 */
export function runPrompt<
  Input,
  Types extends ObjectTypes,
  const Plugins extends readonly Plugin[] = readonly [],
>(
  source: PromptDefinition<Input, Types>,
  config: PromptConfig<Input, OutputInterface, Plugins>,
): Promise<RunPromptResult<OutputInterface<Types['output'], Types['object'], never>, Plugins>>;
export function runPrompt<
  Input = void,
  Output extends OutputInterface = TextOutput,
  const Plugins extends readonly Plugin[] = readonly [],
>(
  source: PromptSource<Input, Plugins>,
  config: PromptConfig<Input, Output, Plugins>,
): Promise<RunPromptResult<Output, Plugins>>;
export async function runPrompt<Input, Output extends OutputInterface, Plugins extends readonly Plugin[]>(
  source: PromptSource<Input, Plugins>,
  config: PromptConfig<Input, Output, Plugins>,
): Promise<RunPromptResult<Output, Plugins>> {
  const { startRun } = await loadRunner();
  return startRun(source, config);
}
