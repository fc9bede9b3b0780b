import type {
  Instructions,
  LanguageModel,
  ModelMessage,
  OutputInterface,
  streamText,
  ToolSet,
  UIMessage,
} from 'ai';
import type { SystemFormat } from '../compile/instructions.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { Plugin } from '../prompt/define-plugin.ts';
import type { PromptDefinition, PromptFunction } from '../prompt/define-prompt.ts';

/** The AI SDK's runtime context, which is whatever the caller puts into it. */
export type RunContext = Record<string, unknown>;

/** What the AI SDK's `streamText` takes. */
export type StreamTextOptions<Output extends OutputInterface = OutputInterface> = Parameters<
  typeof streamText<ToolSet, RunContext, Output>
>[0];

/** What a run without `options.output` gives: text. */
export type TextOutput = OutputInterface<string, string, never>;

/**
 * Every option of the AI SDK's `streamText`, under its present name and the one before, and two of our own.
 * Callbacks, `prepareStep` and `stopWhen` are composed with what the runner needs, never replaced by it.
 */
export type PromptOptions<Output extends OutputInterface = OutputInterface> = Partial<
  Omit<StreamTextOptions<Output>, 'model' | 'messages' | 'prompt' | 'instructions' | 'system'>
> & {
  /** Joined to the end of the compiled system prompt. */
  instructions?: Instructions | undefined;
  /** The former name of `instructions`; where both are given, both are sent. */
  system?: Instructions | undefined;
  /** Messages that follow the prompt's own. */
  messages?: readonly ModelMessage[] | undefined;
  /** Sets of definitions that are made before the prompt function runs. */
  plugins?: readonly Plugin[] | undefined;
  /** How named system parts are written: `labels` (default), or `xml`. */
  systemFormat?: SystemFormat | undefined;
};

/** What {@link runPrompt} takes besides the prompt. */
export type PromptConfig<Input = void, Output extends OutputInterface = OutputInterface> = {
  /** `provider:model`, an alias (`LM_MODEL_…`), or an AI SDK model; default: the definition's own. */
  model?: string | LanguageModel | undefined;
  options?: PromptOptions<Output> | undefined;
  /** Earlier turns of the conversation, as `state.messages` has them; they follow the prompt's own messages. */
  messages?: readonly UIMessage[] | undefined;
} & ModelSettings &
  (void extends Input
    ? { input?: Input }
    : { /** What the prompt function gets as its second argument. */ input: Input });

/** A prompt function, or the definition that gives it a name. */
export type PromptSource<Input = void> = PromptFunction<Input> | PromptDefinition<Input>;
