import type { ModelMessage, OutputInterface, UIMessage } from 'ai';
import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { withoutUndefined } from '../base/without-undefined.ts';
import { isUIMessage, toModelMessages } from '../messages/ui-messages.ts';
import { checkPlugins } from '../prompt/check-plugins.ts';
import { checkSettings } from '../prompt/check-settings.ts';
import { isPromptDefinition, type PromptDefinition, type WaitingFunction } from '../prompt/define-prompt.ts';
import { checkDefinition, checkRunOptions } from '../prompt/option-names.ts';
import { noteInput } from '../prompt/prompt-inputs.ts';
import type { Limits, PromptConfig, PromptOptions, PromptSource } from '../prompt/prompt-options.ts';
import type { Plugin } from '../prompt/prompt.ts';
import { readApproval } from '../tool-calls/approve.ts';
import { readLimits } from '../tool-calls/limits.ts';
import { readLoopGuard, type LoopRules } from '../tool-calls/loop-rules.ts';
import { toolsWithModelOutput } from '../tools/model-output.ts';
import type { ToolEffect } from '../tools/tool-types.ts';
import type { AgentLoopOptions } from './agent-loop.ts';
import { policySetupOf, type LoopPolicySetup } from './loop-policy.ts';
import { checkMessages, openPrompt, type OpenedPrompt } from './open-prompt.ts';
import { joinInstructions } from './stream-options.ts';
import { readContinuedTask, type ContinuedTask } from './take-over/continued-task.ts';

/** What a run needs from its definition. */
export type RunDefinition<Input> = Pick<
  PromptDefinition<Input>,
  'name' | 'library' | 'run' | 'model' | 'plugins' | 'output' | 'tools' | 'policySetup'
>;

/** A run that is ready to start: its prompt has made its definitions, and its options are checked. */
export type OpenedRun = {
  prompt: OpenedPrompt['prompt'];
  /** The messages of the first step. */
  messages: ModelMessage[];
  /** The messages of the prompt and of the options, without the earlier turns. */
  promptMessages: ModelMessage[];
  turns: readonly UIMessage[];
  /** The task that the last of the turns was working on, if the run continues it. */
  continuedTask: ContinuedTask | undefined;
  limits: Limits;
  approvedEffects: readonly ToolEffect[];
  loopRules: LoopRules;
  /** The options for the AI SDK. */
  options: AgentLoopOptions['options'];
  abortSignal: AbortSignal | undefined;
  /** What a session or an agent call adds. */
  policySetup: LoopPolicySetup | undefined;
};

/**
 * Returns `source` as a definition, whether it is a function or has a name. @throws CuelineError `invalid_definition`
 */
export function toDefinition<Input, Plugins extends readonly Plugin[]>(
  source: PromptSource<Input, Plugins>,
): RunDefinition<Input> {
  // the prompt has its plugins' methods when the function is called
  if (typeof source === 'function') return { name: '', run: source };
  if (isPromptDefinition(source)) {
    if (source.remote === true) throw remotePromptError(source.name);
    return source;
  }
  throw new CuelineError(
    'invalid_definition',
    `runPrompt takes a function or what definePrompt returns, but got ${source === null ? 'null' : typeof source}. Write runPrompt(async (prompt) => { prompt.$\`…\`; }, { model: 'openai:gpt-4o' }).`,
  );
}

function readTurns(messages: readonly UIMessage[] = []): readonly UIMessage[] {
  const odd = Array.isArray(messages) ? messages.findIndex((message) => !isUIMessage(message)) : undefined;
  if (odd === -1) return messages;
  throw new CuelineError(
    'invalid_options',
    `messages${odd === undefined ? ' is not a list of' : `[${odd}] is not one of`} the AI SDK's UIMessages, as state.messages has them. Pass ModelMessages, { role, content }, as options: { messages: … }.`,
  );
}

/** Reads the options, and calls plugins and the prompt function. @throws CuelineError */
export async function openRun<Input, Output extends OutputInterface, const Plugins extends readonly Plugin[]>(
  definition: RunDefinition<Input>,
  config: PromptConfig<Input, Output, Plugins>,
): Promise<OpenedRun> {
  checkRunOptions(config);
  checkDefinition(definition);
  const policySetup = await policySetupOf(definition, config.input as Input);
  const {
    plugins = [],
    messages: givenMessages,
    limits: givenLimits,
    approval,
    loopGuard,
    tools,
    abortSignal,
    ...options
  } = optionsOver(policySetup?.options, (config.options ?? {}) as unknown as PromptOptions);
  checkSettings(options);
  // a caller who decides when a run ends does not have to say it twice
  const limits = readLimits(givenLimits, options.stopWhen !== undefined);
  const approvedEffects = readApproval(approval);
  const loopRules = readLoopGuard(loopGuard);
  const { prompt, messages: promptMessages } = await openPrompt({
    plugins: [definition.plugins ?? [], plugins].flatMap(checkPlugins),
    declared: definition.tools,
    async define(own) {
      noteInput(own, config.input);
      await (definition.run as WaitingFunction<Input>)(own, config.input as Input, true);
      await policySetup?.define?.(own);
    },
    tools,
    messages: givenMessages,
  });
  if (policySetup !== undefined && prompt.definitions.taskList !== undefined)
    throw taskListError(definition.name);
  if (config.tasks !== undefined) prompt.definitions.taskList?.resume(config.tasks);
  if (definition.output !== undefined && options.output !== undefined) {
    throw new CuelineError(
      'invalid_options',
      `options.output and the output of prompt "${definition.name}" both describe the answer. Leave one of them out.`,
    );
  }
  const turns = readTurns(config.messages);
  const messages = [
    ...promptMessages,
    ...(await toModelMessages(turns, toolsWithModelOutput(prompt.definitions.tools))),
  ];
  checkMessages(messages);
  const continuedTask =
    config.tasks === undefined
      ? undefined
      : await readContinuedTask(prompt, {
          turns,
          tasks: config.tasks,
          promptMessages: promptMessages.length,
        });
  return {
    prompt,
    messages,
    promptMessages,
    turns,
    continuedTask,
    limits,
    approvedEffects,
    loopRules,
    options,
    abortSignal,
    policySetup,
  };
}

/** Lays the options of a run over those of its definition, and joins those that can be joined. */
function optionsOver(under: LoopPolicySetup['options'] | undefined, options: PromptOptions): PromptOptions {
  if (under === undefined) return options;
  const instructions = joinInstructions(
    under.system,
    under.instructions,
    options.system,
    options.instructions,
  );
  return {
    ...under,
    ...withoutUndefined(options),
    ...timeoutOver(under.timeout, options.timeout),
    system: undefined,
    instructions,
    messages: [...(under.messages ?? []), ...(options.messages ?? [])],
    tools: { ...under.tools, ...options.tools },
    limits: { ...under.limits, ...options.limits },
  };
}

/**
 * Joins time limits by field, unless they are mistakes, which are refused later. A number is the limit of the whole
 * run.
 */
function timeoutOver(
  under: PromptOptions['timeout'],
  timeout: PromptOptions['timeout'],
): Pick<PromptOptions, 'timeout'> {
  const [below, above] = [under, timeout].map((given) =>
    typeof given === 'number' ? { totalMs: given } : given,
  );
  if (!isRecord(below) || !isRecord(above)) return {};
  return { timeout: { ...below, ...withoutUndefined(above) } };
}

/** Returns the error for a task list in a session or an agent call, whose policy would replace the list's messages. */
function taskListError(name: string): CuelineError {
  return new CuelineError(
    'invalid_definition',
    `The session or agent "${name}" cannot have a task list, which a plugin defines here. Leave the plugin out, or run the list in a prompt of its own.`,
  );
}

/** Returns the error for a remote prompt that was started here. */
function remotePromptError(name: string): CuelineError {
  return new CuelineError(
    'invalid_options',
    `Prompt "${name}" is a remotePrompt, which runs on a server. Give the run an executor, { executor: viaRoute('/api/${encodeURIComponent(name)}') }, or import the definition itself to run it here.`,
  );
}
