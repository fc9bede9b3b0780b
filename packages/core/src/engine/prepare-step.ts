import type { Instructions, ModelMessage, PrepareStepFunction, PrepareStepResult, ToolSet } from 'ai';
import { compileInstructions } from '../compile/instructions.ts';
import type { SystemFormat } from '../prompt/prompt-options.ts';
import { CuelineError } from '../base/errors.ts';
import { scriptError } from '../base/script-error.ts';
import { layered, type Definitions } from '../prompt/definitions.ts';
import type { Prompt } from '../prompt/prompt.ts';
import type { LoopPolicy } from './loop-policy.ts';
import { createHistory } from './history.ts';
import { runHooks } from './hooks.ts';
import { pairToolMessages } from '../messages/pair-tool-messages.ts';
import type { ProviderApprovals } from './provider-approvals.ts';
import type { TaskProgress } from './task-progress.ts';
import type { ToolRegistry } from '../tool-calls/tool-registry.ts';
import type { AgentContext } from '../tool-calls/run-context.ts';

type PrepareStepOptions = {
  agentContext: AgentContext;
  prompt: Prompt;
  registry: ToolRegistry;
  tasks: TaskProgress | undefined;
  /** The caller's system prompt. */
  instructions: Instructions | undefined;
  systemFormat: SystemFormat | undefined;
  activeTools: readonly string[] | undefined;
  /** The caller's `prepareStep`, which has the last word. */
  own: PrepareStepFunction<ToolSet> | undefined;
  policy: LoopPolicy | undefined;
  approvals: ProviderApprovals;
  /** True if the first step has to call a tool, unless other settings decide that. */
  forceTools: boolean;
  /** Called with what hooks and the caller's `prepareStep` change of the call settings, at each step. */
  onChange: (changed: object) => void;
};

/**
 * Prepares each step: compiles the definitions with the current task's laid over them, then applies the hooks and the
 * caller's
 * `prepareStep`.
 */
export function createPrepareStep(options: PrepareStepOptions): PrepareStepFunction<ToolSet> {
  const { agentContext, prompt, registry, tasks, own, policy } = options;
  const { runContext, sink } = agentContext;
  const base = prompt.definitions;
  const history = createHistory();
  /** The caller's replacement of the system prompt. As in the AI SDK, it holds for later steps, too. */
  let ownInstructions: Instructions | undefined;
  /** Once a step has sent other messages than the history, later steps must be given theirs. */
  let rewritten = tasks !== undefined;

  const unknownTools = new Set(options.activeTools);
  const warnings = new Set<string>();

  /** Warns once of what a hook repeats at every step. */
  function warn(message: string): void {
    if (!warnings.has(message)) sink.append({ type: 'warning', message });
    warnings.add(message);
  }

  /** Returns the tools of `options.activeTools`, always with the tools of the task list and of the current task. */
  function activeNames(toolNames: readonly string[], layer: Definitions | undefined): readonly string[] {
    const { activeTools } = options;
    if (activeTools === undefined) return toolNames;
    for (const name of toolNames) unknownTools.delete(name);
    for (const name of unknownTools) {
      sink.append({ type: 'warning', message: `options.activeTools names ${name}, which is not defined.` });
    }
    unknownTools.clear();
    const always = (name: string): boolean =>
      layer?.tools.has(name) === true || base.taskList?.tools.has(name) === true;
    return toolNames.filter((name) => activeTools.includes(name) || always(name));
  }

  return async (step) => {
    const exceeded = runContext.budget.takeStep();
    if (exceeded !== undefined) {
      runContext.fail(exceeded);
      throw exceeded;
    }
    const answers = options.approvals.take();
    const said = history.advance(step as never, answers);
    rewritten ||= answers !== undefined;
    const led = await policy?.beforeStep?.({
      stepNumber: step.stepNumber,
      messages: said,
      steered: history.steered,
      hasApprovalAnswers: answers !== undefined,
      instructions: () => compileInstructions(base, options.instructions, options.systemFormat),
      tools: registry.tools,
    });
    if (led?.messages !== undefined) {
      history.replace(led.messages);
      rewritten = true;
    }
    const conversation = history.messages;
    const { layer, messages } = (await tasks?.step(conversation, history.opening)) ?? {
      layer: undefined,
      messages: conversation,
    };
    const definitions = layered(base, layer);
    registry.update(definitions.tools, tasks?.taskId);
    const visible = (): Pick<Definitions, 'variables' | 'system'> => layered(base, layer);
    const compile = (): Instructions | undefined =>
      compileInstructions(visible(), options.instructions, options.systemFormat);
    // a list made here is a snapshot: a tool defined while the step runs cannot be called in it
    const toolNames = Object.keys(registry.tools);
    const hooked = await runHooks(definitions.hooks, messages, activeNames(toolNames, layer), {
      step,
      variablesWith: (name) => (layer?.variables.has(name) === true ? layer : base).variables,
      visible: () => visible().variables,
      compile,
      toolNames,
      warn,
    });
    rewritten ||= hooked.replaced;
    // the AI SDK carries instructions over to later steps, so a step without any has to say so
    const instructions = hooked.system ?? ownInstructions ?? compile() ?? [];
    if (options.forceTools && step.stepNumber === 0 && hooked.activeTools.length === 0) {
      warn('forceTools is set, but the first step has no tool that the model could call.');
    }
    const isForced = options.forceTools && step.stepNumber === 0 && hooked.activeTools.length > 0;
    const compiled = {
      ...(isForced ? { toolChoice: 'required' as const } : {}),
      ...hooked.settings,
      activeTools: [...hooked.activeTools],
      instructions,
      ...(hooked.model === undefined ? {} : { model: await runContext.models.resolve(hooked.model) }),
      ...(rewritten
        ? {
            messages: hooked.replaced
              ? withoutOrphans(hooked.messages, step.stepNumber)
              : [...hooked.messages],
          }
        : {}),
      ...(led?.toolChoice === undefined ? {} : { toolChoice: led.toolChoice }),
    };
    if (own === undefined) {
      options.onChange(hooked.settings);
      return compiled;
    }
    const changed = await callOwn(own, {
      ...step,
      instructions,
      ...('messages' in compiled ? { messages: compiled.messages } : {}),
    });
    options.onChange({ ...hooked.settings, ...changed });
    if (changed === undefined) return compiled;
    const { system, model, messages: hookMessages, ...settings } = changed;
    const given = settings.instructions ?? system;
    ownInstructions = given ?? ownInstructions;
    // a task list makes its window of the whole conversation at every step
    if (hookMessages !== undefined && tasks === undefined) history.replace(hookMessages);
    return {
      ...compiled,
      ...withoutUndefined(settings),
      ...(hookMessages === undefined ? {} : { messages: hookMessages }),
      ...(given === undefined ? {} : { instructions: given }),
      ...(model === undefined ? {} : { model: await runContext.models.resolve(model) }),
    };
  };
}

/**
 * Removes tool calls and results whose counterpart a hook has removed, because providers reject them. @throws
 * CuelineError
 * `script_error` if nothing is left
 */
function withoutOrphans(messages: readonly ModelMessage[], stepNumber: number): ModelMessage[] {
  const whole = pairToolMessages(messages);
  if (whole.length > 0) return whole;
  throw new CuelineError(
    'script_error',
    `A hook left no messages for step ${stepNumber}; a tool's result without its call counts as none. Keep some, such as [...messages.slice(0, 1), ...messages.slice(1).slice(-10)].`,
  );
}

async function callOwn(
  own: PrepareStepFunction<ToolSet>,
  step: Parameters<PrepareStepFunction<ToolSet>>[0],
): Promise<PrepareStepResult<ToolSet>> {
  try {
    return await own(step);
  } catch (error) {
    throw scriptError(`prepareStep, at step ${step.stepNumber},`, error);
  }
}

function withoutUndefined<Value extends object>(value: Value): Value {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined)) as Value;
}
