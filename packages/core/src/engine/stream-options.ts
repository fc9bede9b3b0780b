import {
  experimental_createSteering as createSteering,
  type Instructions,
  type ModelMessage,
  type OutputInterface,
  type PrepareStepResult,
  type StepResult,
  type StopCondition,
  type ToolSet,
} from 'ai';
import { CuelineError } from '../base/errors.ts';
import { scriptError } from '../base/script-error.ts';
import { withoutUndefined } from '../base/without-undefined.ts';
import { compileInstructions } from '../compile/instructions.ts';
import { locateParts } from '../compile/locate-parts.ts';
import { openAgents } from '../log/agent-log.ts';
import type { UnfinishedCall } from '../log/unfinished-step.ts';
import type { UserContext, StreamTextOptions } from '../prompt/call-settings.ts';
import { layered, type Definitions } from '../prompt/definitions.ts';
import type { PromptOptions } from '../prompt/prompt-options.ts';
import { createPrepareStep } from './prepare-step.ts';
import { recordingCallbacks } from './recording/recording-callbacks.ts';
import { createRequestRecorder } from './recording/request-recorder.ts';
import { createVariableRecorder } from './recording/variable-recorder.ts';
import type { PendingSteer } from './steer.ts';
import type { CallerOptions, PrepareStep, StreamContext } from './stream-context.ts';
import { finishStep } from './take-over/finish-step.ts';
import { rebuildPastSteps } from './take-over/rebuild-past-steps.ts';
import { takeOverLoop } from './take-over/take-over.ts';

/** Settings of a call that the log keeps with each step's request. */
const settingNames = [
  'maxOutputTokens',
  'temperature',
  'topP',
  'topK',
  'presencePenalty',
  'frequencyPenalty',
  'stopSequences',
  'seed',
  'reasoning',
  'providerOptions',
] as const satisfies (keyof PromptOptions)[];

/**
 * Composes the arguments of `streamText`, except model, messages, tools and signal, of the caller's options and our
 * own.
 */
export function composeStreamOptions(
  options: CallerOptions,
  context: StreamContext,
): Omit<StreamTextOptions, 'model' | 'prompt' | 'messages'> & { instructions?: Instructions } {
  const { agentContext, prompt, recorder, registry, tasks, policy, toolApproval, attempts } = context;
  const { system, instructions, systemFormat, forceTools = false, ...rest } = options;
  const { sink, runContext, past } = agentContext;
  const { definitions } = prompt;
  const callerInstructions = joinInstructions(system, instructions);
  const compile = (): Instructions | undefined =>
    compileInstructions(definitions, callerInstructions, systemFormat);
  const visible = (): Definitions => layered(definitions, tasks?.layer);
  const recordVariables = createVariableRecorder(() => visible().variables, sink, past?.state.variables);
  const describe = createRequestRecorder(
    runContext.secrets,
    (text) => locateParts(text, visible(), systemFormat),
    past?.state.steps.at(-1)?.request,
  );
  const earlierSteps = past === undefined ? [] : rebuildPastSteps(past);
  const shouldStop = createStopCheck(context, earlierSteps, rest.stopWhen);
  const preparation = createLoopPreparation(context, compile, shouldStop);
  const steering = rest.experimental_steering ?? createSteering();
  /** What hooks and `prepareStep` have changed for the step that is about to start. */
  let changes: Readonly<Record<string, unknown>> = {};
  /** The output that each step asks for, for the log. */
  let responseFormat: object = {};
  /** The feedback to the model before the next step. */
  let steered: PendingSteer | undefined;
  recordVariables();
  registry.update(definitions.tools);
  toolApproval.check();
  const initial = compile();
  const prepareStep = createPrepareStep({
    agentContext,
    prompt,
    registry,
    tasks,
    instructions: callerInstructions,
    systemFormat,
    activeTools: rest.activeTools,
    callerPrepareStep: rest.prepareStep,
    forceTools: forceTools && rest.toolChoice === undefined,
    policy,
    approvals: context.approvals,
    initialMessageCount: context.initialMessageCount,
    earlierSteps,
    takeReceived: preparation.takeReceived,
    onChange: (changed) => (changes = changed),
  });
  return {
    ...withoutUndefined(rest),
    ...(initial === undefined ? {} : { instructions: initial }),
    experimental_steering: steering,
    ...(toolApproval.configuration === undefined ? {} : { toolApproval: toolApproval.configuration }),
    ...(attempts === undefined
      ? {}
      : { experimental_transform: [rest.experimental_transform ?? [], attempts.transform].flat() }),
    prepareStep: async (step) => {
      responseFormat = await formatOf(context.output);
      if (step.stepNumber === 0) await preparation.begin(step.messages);
      return prepareForModel(context, prepareStep, step);
    },
    stopWhen: async ({ steps }) => {
      if (await shouldStop(steps)) return true;
      if (runContext.durable === undefined || sink.ended) return false;
      // together with the end of the step, so that no process has one without the other
      if (steered !== undefined) recorder.steered(steered);
      steered = undefined;
      if (agentContext.path !== undefined) return false;
      runContext.durable.pause();
      return true;
    },
    ...recordingCallbacks(rest, context, {
      steering,
      recordVariables,
      onSteer: (steer) => (steered = steer),
      describe: (event) => describe(event, { ...loggedSettings(rest, changes), ...responseFormat }),
    }),
  };
}

/** Prepares a step for the caller's and the hooks' model, and wraps the model that they choose. */
async function prepareForModel(
  { agentContext, modelCalls, aroundPrepareStep }: StreamContext,
  prepareStep: PrepareStep,
  step: Parameters<PrepareStep>[0],
): Promise<PrepareStepResult<ToolSet, UserContext>> {
  const { runContext, sink, past, keptSteps = 0 } = agentContext;
  const prepare = aroundPrepareStep?.(prepareStep) ?? prepareStep;
  const userStep = {
    ...step,
    model: modelCalls.unwrap(step.model),
    stepNumber: step.stepNumber + keptSteps + (past?.nextStep ?? 0),
  };
  const prepared = await runContext.track((async () => prepare(userStep))());
  // a session may have waited for a summary, and another process continues the run by now
  if (sink.ended) throw new CuelineError('aborted', 'The run has ended.');
  const model = prepared?.model;
  return model === undefined ? prepared : { ...prepared, model: modelCalls.wrap(model) };
}

/** What a loop does before its first step. */
type LoopPreparation = {
  /** Finishes what another process, or an earlier attempt, has left open. */
  begin(messages: readonly ModelMessage[]): Promise<void>;
  /** Returns, once, what the model has received since the last step of another process. */
  takeReceived(): readonly ModelMessage[];
};

function createLoopPreparation(
  context: StreamContext,
  instructions: () => Instructions | undefined,
  shouldStop: StopCheck,
): LoopPreparation {
  const {
    recorder,
    registry,
    tasks,
    toolApproval,
    policy,
    agentContext,
    takeOver,
    unfinishedCalls = [],
  } = context;
  let received: readonly ModelMessage[] = [];

  return {
    async begin(messages) {
      if (takeOver === undefined && unfinishedCalls.length === 0) return;
      const settling = { recorder, registry, toolApproval, signal: context.abortSignal };
      const hasOpenStep = takeOver === undefined || takeOver.past.openStep !== undefined;
      const { initialMessageCount = messages.length } = context;
      const layer = await tasks?.resume(messages, initialMessageCount, hasOpenStep);
      const definitions = layered(context.prompt.definitions, layer);
      if (takeOver === undefined) {
        registry.update(definitions.tools, tasks?.taskId);
        const onFail = ({ agentEvents = [] }: UnfinishedCall): void => {
          for (const agent of openAgents(agentEvents).toReversed())
            agentContext.runContext.log.append({ type: 'agent-end', outcome: 'stopped', agent });
        };
        return finishStep(unfinishedCalls, messages, { ...settling, onFail });
      }
      const taken = await takeOverLoop(takeOver, messages, {
        ...settling,
        agentContext,
        definitions,
        policy,
        instructions,
      });
      received = taken.received;
      if (!taken.hasEndedStep || !(await shouldStop([]))) return;
      recorder.finish(takeOver.past.openStep?.finishReason ?? 'other');
      throw new CuelineError('aborted', 'The run has ended.');
    },
    takeReceived() {
      const taken = received;
      received = [];
      return taken;
    },
  };
}

type LoopStep = StepResult<ToolSet, UserContext>;

/** True if the loop must not continue after these steps of this process, although the model would. */
type StopCheck = (steps: readonly LoopStep[]) => Promise<boolean>;

function createStopCheck(
  { recorder, tasks, policy }: StreamContext,
  earlierSteps: readonly LoopStep[],
  stopWhen: CallerOptions['stopWhen'],
): StopCheck {
  const conditions = stopWhen === undefined ? [] : [stopWhen].flat().map(withScriptErrors);
  return async (here) => {
    // after an error there is nothing to continue from
    if (recorder.failure !== undefined || tasks?.failed === true || policy?.done?.() === true) return true;
    const steps = earlierSteps.length === 0 ? (here as LoopStep[]) : [...earlierSteps, ...here];
    const met = await Promise.all(conditions.map(async (condition) => condition({ steps })));
    if (!met.some(Boolean)) return false;
    recorder.stopWhenMet();
    return true;
  };
}

/** Wraps the caller's condition. What it throws is an error of the app, not of the model. */
function withScriptErrors(
  stopWhen: StopCondition<ToolSet, UserContext>,
): StopCondition<ToolSet, UserContext> {
  return async (step) => {
    try {
      return await stopWhen(step);
    } catch (error) {
      throw scriptError('stopWhen', error);
    }
  };
}

/** Joins several system prompts into one. */
export function joinInstructions(...parts: (Instructions | undefined)[]): Instructions | undefined {
  const messages = parts.flatMap((part) => {
    if (part === undefined || part === '') return [];
    return typeof part === 'string' ? [{ role: 'system' as const, content: part }] : part;
  });
  return messages.length === 0 ? undefined : messages;
}

/** The settings of a step as the log has them: the caller's, with the changes for this step. */
function loggedSettings(
  options: Readonly<Record<string, unknown>>,
  changes: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const settings: Record<string, unknown> = {};
  for (const name of settingNames) {
    const value = name in changes ? changes[name] : options[name];
    if (value !== undefined) settings[name] = value;
  }
  return settings;
}

/** Returns the form of the answer that is asked for; undefined for text. */
async function formatOf(output: OutputInterface | undefined): Promise<object> {
  const responseFormat = await output?.responseFormat;
  return responseFormat === undefined || responseFormat.type === 'text' ? {} : { responseFormat };
}
