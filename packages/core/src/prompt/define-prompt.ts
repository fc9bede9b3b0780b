import type { LanguageModel } from 'ai';
import { CuelineError } from '../errors.ts';
import type { Plugin, PluginMethods } from './define-plugin.ts';
import type { Prompt } from './prompt.ts';

/** A prompt as a function: it says what to send by calling methods of `prompt`. */
export type PromptFunction<Input = void, Plugins extends readonly Plugin[] = readonly []> = (
  prompt: Prompt & PluginMethods<Plugins>,
  input: Input,
) => void | Promise<void>;

/** A prompt function with a name, as {@link definePrompt} makes it. Inert, so any module may export it. */
export type PromptDefinition<Input = void> = {
  readonly kind: 'prompt';
  readonly name: string;
  readonly run: PromptFunction<Input>;
  /** Model for runs that name none. */
  readonly model?: string | LanguageModel;
  /** Plugins that every run of it has. */
  readonly plugins?: readonly Plugin[];
};

/**
 * Gives a prompt function a name and an input type, so that a component, a worker and a route can import the same thing.
 *
 * @example
 * export const planDay = definePrompt('plan-day', async (prompt, input: { city: string }) => {
 *   prompt.$`Plan a day in ${input.city}.`;
 * });
 */
export function definePrompt<Input = void, const Plugins extends readonly Plugin[] = readonly []>(
  name: string,
  run: PromptFunction<Input, Plugins>,
  config: { model?: string | LanguageModel; plugins?: Plugins } = {},
): PromptDefinition<Input> {
  if (typeof name !== 'string' || name.trim() === '') {
    throw new CuelineError(
      'invalid_definition',
      "A prompt needs a name: definePrompt('plan-day', async (prompt) => { … }).",
    );
  }
  if (typeof run !== 'function') {
    throw new CuelineError(
      'invalid_definition',
      `Prompt "${name}" has no function: definePrompt('${name}', async (prompt) => { prompt.$\`…\`; }).`,
    );
  }
  return {
    kind: 'prompt',
    name,
    run,
    ...(config.model === undefined ? {} : { model: config.model }),
    ...(config.plugins === undefined ? {} : { plugins: config.plugins }),
  };
}

/** True for what {@link definePrompt} returns. */
export function isPromptDefinition(value: unknown): value is PromptDefinition<unknown> {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === 'prompt';
}
