import type {
  Instructions,
  LanguageModel,
  ModelMessage,
  OutputInterface,
  streamText,
  ToolSet,
  UIMessage,
} from 'ai';
import type { ModelSettings } from '../models/settings.ts';
import type { Plugin } from './define-plugin.ts';
import type { PromptDefinition, PromptFunction } from './define-prompt.ts';
import type { ToolEffect } from '../tools/tool-definition.ts';
import type { TaskItem } from '../tasks/task.ts';
import type { LoopGuardOptions } from '../tools/loop-rule.ts';

/** What a run and all its agents may use together. `Infinity` turns a limit off. */
export type Limits = {
  /** Model calls of the run and of its agents. A call that broke and is tried again is one step. Default 50. */
  steps: number;
  /**
   * Tool calls that the models ask for, of the run and of its agents, whether they then run or are refused. The call
   * of an agent is one, and each call inside a composite tool is one; what a provider runs itself is none. Default 200.
   */
  toolCalls: number;
  /** Tool calls in one answer of a model; those beyond it are refused. Default 32. */
  toolCallsPerStep: number;
  /**
   * Tool calls that run at the same time, of the run and of its agents; the others wait. The call of an agent takes no
   * place, since it would keep it from the calls that it waits for; nor does a tool while it waits for an agent that it
   * has called. Default 8.
   */
  concurrentToolCalls: number;
  /** Levels of agents below the run: with 1 an agent may call no other, with 0 there is none. Default 5. */
  depth: number;
  /** Tokens in and out, as providers report them; a report that is no whole number from 0 on counts as none. Unlimited by default. */
  tokens?: number;
};

/** How named system parts are written: `role:` and a line of its own, or `<role>…</role>`. */
export type SystemFormat = 'labels' | 'xml';

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
   * run asks for an approval and waits for `run.respondToApproval`. A tool's own `needsApproval` goes before this. Default: none.
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
