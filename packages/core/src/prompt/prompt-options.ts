import type { LanguageModel, ModelMessage, OutputInterface, UIMessage } from 'ai';
import type { UnfinishedCall } from '../log/unfinished-step.ts';
import type { ModelSettings } from '../models/settings.ts';
import type { TaskItem } from '../tasks/task-item.ts';
import type { LoopGuardOptions } from '../tools/loop-rule.ts';
import type { ToolEffect } from '../tools/tool-types.ts';
import type { CallSettings } from './call-settings.ts';
import type { PromptDefinition, PromptFunction } from './define-prompt.ts';
import type { Plugin } from './prompt.ts';

/** Limits of a run and all its agents together. `Infinity` turns a limit off. */
export type Limits = {
  /** Model calls of the run and of its agents. A call that broke and is tried again counts once. Default 50. */
  steps: number;
  /**
   * Tool calls that the models make, of the run and of its agents, also refused ones. The call of an agent counts as
   * one, and so does each call inside a composite tool. Calls that a provider runs itself do not count. Default 200.
   */
  toolCalls: number;
  /** Tool calls in one answer of a model; further ones are refused. Default 32. */
  toolCallsPerStep: number;
  /**
   * Tool calls that run at the same time, of the run and of its agents; the others wait. The call of an agent does
   * not count, because it would block the calls that it waits for, nor does a tool while it waits for an agent that
   * it has called. Default 8.
   */
  concurrentToolCalls: number;
  /**
   * Levels of agents below the run: with 1, an agent may call no other agent; with 0, there are no agents. Default 5.
   */
  depth: number;
  /**
   * Input and output tokens, as providers report them. A report that is not a whole number of at least 0 counts as 0.
   * Default: unlimited.
   */
  tokens?: number;
};

/** Some limits of a run. One that is undefined is the same as one that is left out. */
export type LimitOptions = { [Name in keyof Limits]?: Limits[Name] | undefined };

/** The output of a run without `options.output`: text. */
export type TextOutput = OutputInterface<string, string, never>;

/**
 * Every option of the AI SDK's `streamText`, under its current and its former name, and some of Cueline's. Callbacks,
 * `prepareStep` and `stopWhen` are composed with the runner's own, and never replaced.
 */
export type PromptOptions<
  Output extends OutputInterface = OutputInterface,
  Plugins extends readonly Plugin[] = readonly Plugin[],
> = CallSettings<Output> & {
  /** Messages that follow the prompt's own. */
  messages?: readonly ModelMessage[] | undefined;
  /** Sets of definitions that are made before the prompt function runs. Their methods appear on `prompt`. */
  plugins?: Plugins | undefined;
  /**
   * Limits of the run and all its agents together. Default: 50 steps (1,000 if `stopWhen` decides when the run is
   * finished), 200 tool calls, 32 in one step and 8 at a time, agents 5 levels deep. `Infinity` turns a limit off.
   */
  limits?: LimitOptions | undefined;
  /**
   * How often the models of the run and of its agents may make the same call. By default the 2nd identical call gets
   * the result of the first, the 3rd to 5th are refused, and the 6th ends the run. `false` turns the guard off;
   * `tools` has rules for single tools, also for those of an MCP server.
   */
  loopGuard?: LoopGuardOptions | boolean | undefined;
  /**
   * Tools that need an approval: `true` for those with the effect `write` or `external`, or a list of effects. The
   * run asks for the approval and waits for `run.respondToApproval`. A tool's own `needsApproval` overrides this.
   * Default: none.
   */
  approval?: true | readonly ToolEffect[] | undefined;
};

/** The options of `runPrompt` besides the prompt. */
export type PromptConfig<
  Input = void,
  Output extends OutputInterface = OutputInterface,
  Plugins extends readonly Plugin[] = readonly Plugin[],
> = {
  /** `provider:model`, an alias (`LM_MODEL_…`), or an AI SDK model; default: the definition's own. */
  model?: string | LanguageModel | undefined;
  /** The options of the AI SDK's `streamText`, and `plugins`, `limits`, `approval`, `loopGuard`, `systemFormat`. */
  options?: PromptOptions<Output, Plugins> | undefined;
  /** Earlier turns of the conversation, as in `state.messages`. They follow the prompt's own messages. */
  messages?: readonly UIMessage[] | undefined;
  /** The tasks of an earlier turn, as in `state.tasks`: a finished list stays finished. */
  tasks?: readonly TaskItem[] | undefined;
  /**
   * Calls that the last of `messages` leaves open, as a request to an executor has them. Those whose tools read or are
   * idempotent are made before the model is called, and agents continue after their `agentEvents`.
   */
  unfinishedCalls?: readonly UnfinishedCall[] | undefined;
} & ModelSettings &
  (void extends Input
    ? { input?: Input }
    : { /** The second argument of the prompt function. */ input: Input });

/** A prompt function, or a definition, which has a name. */
export type PromptSource<Input = void, Plugins extends readonly Plugin[] = readonly []> =
  | PromptFunction<Input, Plugins>
  | PromptDefinition<Input>;
