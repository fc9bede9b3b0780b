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
import type { ToolEffect } from '../prompt/tool-definition.ts';
import type { TaskItem } from '../tasks/task.ts';
import type { Limits } from './limits.ts';
import type { LoopGuardOptions } from './loop-rules.ts';

/** The AI SDK's runtime context, which is whatever the caller puts into it. */
export type UserContext = Record<string, unknown>;

/** What the AI SDK's `streamText` takes. */
export type StreamTextOptions<Output extends OutputInterface = OutputInterface> = Parameters<
  typeof streamText<ToolSet, UserContext, Output>
>[0];

/** What a run without `options.output` gives: text. */
export type TextOutput = OutputInterface<string, string, never>;

/**
 * Every option of the AI SDK's `streamText`, under its present name and the one before, and two of our own.
 * Callbacks, `prepareStep` and `stopWhen` are composed with what the runner needs, never replaced by it.
 */
export type PromptOptions<
  Output extends OutputInterface = OutputInterface,
  Plugins extends readonly Plugin[] = readonly Plugin[],
> = Partial<Omit<StreamTextOptions<Output>, 'model' | 'messages' | 'prompt' | 'instructions' | 'system'>> & {
  /** Joined to the end of the compiled system prompt. */
  instructions?: Instructions | undefined;
  /** The former name of `instructions`; where both are given, both are sent. */
  system?: Instructions | undefined;
  /** Messages that follow the prompt's own. */
  messages?: readonly ModelMessage[] | undefined;
  /** Sets of definitions that are made before the prompt function runs; their methods appear on `prompt`. */
  plugins?: Plugins | undefined;
  /** How named system parts are written: `labels` (default), or `xml`. */
  systemFormat?: SystemFormat | undefined;
  /**
   * What the run and all its agents may use together. By default 50 steps (1,000 where `stopWhen` says when the run is
   * finished), 200 tool calls, 32 in one step and 8 at a time, agents 5 deep. `Infinity` turns a limit off.
   */
  limits?: Partial<Limits> | undefined;
  /**
   * How often the models of the run and of its agents may make the same call: of identical ones the 2nd gets the result
   * of the first, the 3rd to 5th are refused, and the 6th ends the run. `false` turns the guard off; `tools` has rules of
   * single tools, also of ready-made ones such as those of an MCP server.
   */
  loopGuard?: LoopGuardOptions | boolean | undefined;
  /**
   * Whether the model has to call a tool at the first step (`toolChoice: 'required'`); the steps after are free. A
   * `toolChoice` of the options, of a hook or of `prepareStep` goes before this. Default false.
   */
  forceTools?: boolean | undefined;
  /**
   * Tools that ask before they run: `true` for those with the effect `write` or `external`, or a list of effects. The
   * run opens a request and waits for `run.respond`. A tool's own `needsApproval` goes before this. Default: none.
   */
  approval?: true | readonly ToolEffect[] | undefined;
};

/** What {@link runPrompt} takes besides the prompt. */
export type PromptConfig<
  Input = void,
  Output extends OutputInterface = OutputInterface,
  Plugins extends readonly Plugin[] = readonly Plugin[],
> = {
  /** `provider:model`, an alias (`LM_MODEL_…`), or an AI SDK model; default: the definition's own. */
  model?: string | LanguageModel | undefined;
  options?: PromptOptions<Output, Plugins> | undefined;
  /** Earlier turns of the conversation, as `state.messages` has them; they follow the prompt's own messages. */
  messages?: readonly UIMessage[] | undefined;
  /** How the tasks of an earlier turn stood, as `state.tasks` has them: a finished list stays finished. */
  tasks?: readonly TaskItem[] | undefined;
} & ModelSettings &
  (void extends Input
    ? { input?: Input }
    : { /** What the prompt function gets as its second argument. */ input: Input });

/** A prompt function, or the definition that gives it a name. */
export type PromptSource<Input = void, Plugins extends readonly Plugin[] = readonly []> =
  | PromptFunction<Input, Plugins>
  | PromptDefinition<Input>;
