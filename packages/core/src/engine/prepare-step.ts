import type {
  Instructions,
  ModelMessage,
  PrepareStepFunction,
  PrepareStepResult,
  StepResult,
  ToolSet,
} from 'ai';
import { CuelineError } from '../base/errors.ts';
import { scriptError } from '../base/script-error.ts';
import { withoutUndefined } from '../base/without-undefined.ts';
import { compileInstructions } from '../compile/instructions.ts';
import { pairToolMessages } from '../messages/pair-tool-messages.ts';
import type { SystemFormat, UserContext } from '../prompt/call-settings.ts';
import { layered, type Definitions } from '../prompt/definitions.ts';
import type { PromptBuilder } from '../prompt/prompt-builder.ts';
import { findWrongSetting, stepForms } from '../prompt/setting-forms.ts';
import type { AgentContext } from '../tool-calls/run-context.ts';
import type { ToolRegistry } from '../tool-calls/tool-registry.ts';
import { createHistory } from './history.ts';
import { runHooks } from './hooks.ts';
import type { LoopPolicy } from './loop-policy.ts';
import { isPlaceholder, type ProviderApprovals } from './provider-approvals.ts';
import type { TaskProgress } from './task-progress.ts';

type PrepareStepOptions = {
  agentContext: AgentContext;
  prompt: PromptBuilder;
  registry: ToolRegistry;
  tasks: TaskProgress | undefined;
  /** The caller's system prompt. */
  instructions: Instructions | undefined;
  systemFormat: SystemFormat | undefined;
  activeTools: readonly string[] | undefined;
  /** The caller's `prepareStep`, which has the last word. */
  callerPrepareStep: PrepareStepFunction<ToolSet> | undefined;
  policy: LoopPolicy | undefined;
  approvals: ProviderApprovals;
  /** Number of messages that the run began with; missing if it begins here. */
  initialMessageCount: number | undefined;
  /** The steps of other processes, which come before those here. */
  earlierSteps: readonly StepResult<ToolSet, UserContext>[];
  /** Returns what the model has received since the last of them, once. */
  takeReceived: () => readonly ModelMessage[];
  /** True if the first step has to call a tool, unless other settings decide that. */
  forceTools: boolean;
  /** Called at each step with the call settings that hooks and the caller's `prepareStep` have changed. */
  onChange: (changed: Readonly<Record<string, unknown>>) => void;
};

type Prepared = Awaited<ReturnType<PrepareStepFunction<ToolSet>>>;

/**
 * Prepares each step: compiles the definitions with the current task's laid over them, then applies the hooks and the
 * caller's `prepareStep`.
 */
export function createPrepareStep(options: PrepareStepOptions): PrepareStepFunction<ToolSet> {
  const preparation = new StepPreparation(options);
  return (step) => preparation.prepare(step);
}

/** The preparation of the steps of one run or agent. */
class StepPreparation {
  readonly #options: PrepareStepOptions;
  readonly #agentContext;
  readonly #prompt;
  readonly #registry;
  readonly #tasks;
  readonly #callerPrepareStep;
  readonly #policy;
  readonly #runContext;
  readonly #sink;
  readonly #base;
  readonly #history;
  /** The caller's replacement of the system prompt. As in the AI SDK, it holds for later steps, too. */
  #replacedInstructions: Instructions | undefined;
  /** Once a step has sent other messages than the history, later steps must be given theirs. */
  #rewritten;
  readonly #unknownTools;
  readonly #warnings = new Set<string>();

  constructor(options: PrepareStepOptions) {
    this.#options = options;
    this.#agentContext = options.agentContext;
    this.#prompt = options.prompt;
    this.#registry = options.registry;
    this.#tasks = options.tasks;
    this.#callerPrepareStep = options.callerPrepareStep;
    this.#policy = options.policy;
    this.#runContext = this.#agentContext.runContext;
    this.#sink = this.#agentContext.sink;
    this.#base = this.#prompt.definitions;
    this.#rewritten = this.#tasks !== undefined;
    this.#history = createHistory(options.initialMessageCount);
    this.#unknownTools = new Set(options.activeTools);
  }

  async prepare(given: Parameters<PrepareStepFunction<ToolSet>>[0]): Promise<Prepared> {
    const exceeded = this.#runContext.budget.takeStep();
    if (exceeded !== undefined) {
      this.#runContext.fail(exceeded);
      throw exceeded;
    }
    const answers = this.#options.approvals.take();
    const history = this.#history.advance(given as never, answers);
    const { earlierSteps } = this.#options;
    const step =
      earlierSteps.length === 0
        ? given
        : { ...given, steps: [...earlierSteps, ...given.steps] as typeof given.steps };
    this.#rewritten ||=
      answers !== undefined || given.experimental_steeringMessages?.some(isPlaceholder) === true;
    const received = this.#options.takeReceived();
    const adjusted = await this.#policy?.beforeStep?.({
      stepNumber: step.stepNumber,
      messages: [...history, ...received],
      steered: this.#history.steered + received.length,
      hasApprovalAnswers: answers !== undefined,
      instructions: () =>
        compileInstructions(this.#base, this.#options.instructions, this.#options.systemFormat),
      tools: this.#registry.tools,
    });
    if (adjusted?.messages !== undefined) {
      this.#history.replace(adjusted.messages);
      this.#rewritten = true;
    }
    const conversation = this.#history.messages;
    const { layer, messages } = (await this.#tasks?.step(
      conversation,
      this.#history.initialMessageCount,
    )) ?? {
      layer: undefined,
      messages: conversation,
    };
    const definitions = layered(this.#base, layer);
    this.#registry.update(definitions.tools, this.#tasks?.taskId, adjusted?.forgets);
    const visible = (): Pick<Definitions, 'variables' | 'system'> => layered(this.#base, layer);
    const compile = (): Instructions | undefined =>
      compileInstructions(visible(), this.#options.instructions, this.#options.systemFormat);
    // a list made here is a snapshot: a tool defined while the step runs cannot be called in it
    const toolNames = Object.keys(this.#registry.tools);
    const hooked = await runHooks(definitions.hooks, messages, this.#activeNames(toolNames, layer), {
      step,
      variablesWith: (name) => (layer?.variables.has(name) === true ? layer : this.#base).variables,
      visible: () => visible().variables,
      compile,
      toolNames,
      warn: this.#warn,
      onChanged: (index, changed) => this.#reportHook(step.stepNumber, index, changed),
    });
    this.#rewritten ||= hooked.replaced;
    // the AI SDK keeps instructions for later steps, so a step without any must set them to nothing
    const instructions = hooked.system ?? this.#replacedInstructions ?? compile() ?? [];
    if (this.#options.forceTools && step.stepNumber === 0 && hooked.activeTools.length === 0) {
      this.#warn('forceTools is set, but the first step has no tool that the model could call.');
    }
    const isForced = this.#options.forceTools && step.stepNumber === 0 && hooked.activeTools.length > 0;
    const compiled = {
      ...(isForced ? { toolChoice: 'required' as const } : {}),
      ...hooked.settings,
      activeTools: [...hooked.activeTools],
      instructions,
      ...(hooked.model === undefined ? {} : { model: await this.#runContext.models.resolve(hooked.model) }),
      ...(this.#rewritten
        ? {
            messages: hooked.replaced
              ? withoutOrphans(hooked.messages, step.stepNumber)
              : [...hooked.messages],
          }
        : {}),
      ...(adjusted?.toolChoice === undefined ? {} : { toolChoice: adjusted.toolChoice }),
    };
    if (this.#callerPrepareStep === undefined) {
      this.#options.onChange(hooked.settings);
      return compiled;
    }
    const changed = await callPrepareStep(this.#callerPrepareStep, {
      ...step,
      instructions,
      ...('messages' in compiled ? { messages: compiled.messages } : {}),
    });
    this.#options.onChange({ ...hooked.settings, ...changed });
    if (changed === undefined) return compiled;
    const { system, model, messages: hookMessages, ...settings } = changed;
    const sentSystem = settings.instructions ?? system;
    this.#replacedInstructions = sentSystem ?? this.#replacedInstructions;
    // a task list selects its messages from the whole conversation at every step
    if (hookMessages !== undefined && this.#tasks === undefined) this.#history.replace(hookMessages);
    return {
      ...compiled,
      ...withoutUndefined(settings),
      ...(hookMessages === undefined ? {} : { messages: hookMessages }),
      ...(sentSystem === undefined ? {} : { instructions: sentSystem }),
      ...(model === undefined ? {} : { model: await this.#runContext.models.resolve(model) }),
    };
  }

  /** Warns once of what a hook repeats at every step. */
  readonly #warn = (message: string): void => {
    if (!this.#warnings.has(message)) this.#sink.append({ type: 'warning', message });
    this.#warnings.add(message);
  };

  /** The hooks of the current task follow those of the prompt. */
  #reportHook(stepNumber: number, index: number, changed: string[]): void {
    const { keptSteps = 0 } = this.#agentContext;
    // like the start of the step: the log that a retry continues adds the kept steps to both
    const step = stepNumber - keptSteps;
    const taskId = index < this.#base.hooks.length ? undefined : this.#tasks?.taskId;
    this.#sink.append({ type: 'hook', step, index, ...(taskId === undefined ? {} : { taskId }), changed });
  }

  /** Returns the tools of `options.activeTools`, always with the tools of the task list and of the current task. */
  #activeNames(toolNames: readonly string[], layer: Definitions | undefined): readonly string[] {
    const { activeTools } = this.#options;
    if (activeTools === undefined) return toolNames;
    for (const name of toolNames) this.#unknownTools.delete(name);
    for (const name of this.#unknownTools) {
      this.#sink.append({
        type: 'warning',
        message: `options.activeTools names ${name}, which is not defined. There are: ${toolNames.join(', ') || 'none'}.`,
      });
    }
    this.#unknownTools.clear();
    const always = (name: string): boolean =>
      layer?.tools.has(name) === true || this.#base.taskList?.tools.has(name) === true;
    return toolNames.filter((name) => activeTools.includes(name) || always(name));
  }
}

/**
 * Removes tool calls and results whose counterpart a hook has removed, because providers reject them.
 * @throws CuelineError `script_error` if nothing is left
 */
function withoutOrphans(messages: readonly ModelMessage[], stepNumber: number): ModelMessage[] {
  const whole = pairToolMessages(messages);
  if (whole.length > 0) return whole;
  throw new CuelineError(
    'script_error',
    `A hook left no messages for step ${stepNumber}; a tool result without its call does not count. Keep some, such as [...messages.slice(0, 1), ...messages.slice(1).slice(-10)].`,
  );
}

async function callPrepareStep(
  prepareStep: PrepareStepFunction<ToolSet>,
  step: Parameters<PrepareStepFunction<ToolSet>>[0],
): Promise<PrepareStepResult<ToolSet>> {
  const who = `prepareStep, at step ${step.stepNumber},`;
  let changed: PrepareStepResult<ToolSet>;
  try {
    changed = await prepareStep(step);
  } catch (error) {
    throw scriptError(who, error);
  }
  const wrong = findWrongSetting(changed ?? {}, stepForms);
  if (wrong === undefined) return changed;
  throw new CuelineError('script_error', `${who} returned ${wrong.name}: ${wrong.value}. ${wrong.instead}`);
}
