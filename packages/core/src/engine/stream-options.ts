import {
  experimental_createSteering as createSteering,
  type Experimental_Steering as Steering,
  type Instructions,
  type ModelMessage,
  type OutputInterface,
  type PrepareStepFunction,
  type StepResult,
  type StopCondition,
  type ToolSet,
} from 'ai';
import { compileInstructions } from '../compile/instructions.ts';
import { locateParts } from '../compile/locate-parts.ts';
import { CuelineError } from '../base/errors.ts';
import { scriptError } from '../base/script-error.ts';
import { layered, type Variable } from '../prompt/definitions.ts';
import type { Prompt } from '../prompt/prompt.ts';
import { beforeCallback, composeCallbacks } from '../base/compose-callbacks.ts';
import type { LoopPolicy } from './loop-policy.ts';
import type { ModelCalls } from '../provider/model-calls.ts';
import type { PromptOptions, UserContext, StreamTextOptions } from '../prompt/prompt-options.ts';
import { finishStep } from './take-over/finish-step.ts';
import { createPrepareStep } from './prepare-step.ts';
import type { ProviderApprovals } from './provider-approvals.ts';
import type { Recorder } from './recorder.ts';
import { createRequestRecorder, type StepStart } from './request-recorder.ts';
import type { RequestChange } from '../log/events.ts';
import type { VariableState } from '../log/state.ts';
import { continueLoop, steerLoop, type PendingSteer, type Steer } from './steer.ts';
import { pastSteps } from './take-over/past-steps.ts';
import { takeOverLoop, type TakeOver } from './take-over/take-over.ts';
import type { StreamAttempts } from './stream-attempts.ts';
import type { TaskProgress } from './task-progress.ts';
import type { ToolApproval } from '../tool-calls/tool-approval.ts';
import type { ToolRegistry } from '../tool-calls/tool-registry.ts';
import type { EventSink, AgentContext } from '../tool-calls/run-context.ts';
import type { UnfinishedCall } from '../log/unfinished-step.ts';

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

/** What the options of an agent loop are composed with. */
export type StreamContext = {
  agentContext: AgentContext;
  prompt: Prompt;
  recorder: Recorder;
  registry: ToolRegistry;
  tasks: TaskProgress | undefined;
  /** Called in this order when the model wants to stop. */
  steers: readonly Steer[];
  /** The output, if it is not just text. */
  output: OutputInterface | undefined;
  policy: LoopPolicy | undefined;
  approvals: ProviderApprovals;
  toolApproval: ToolApproval;
  attempts: StreamAttempts | undefined;
  modelCalls: ModelCalls;
  abortSignal: AbortSignal;
  /** Calls to make before the first step. */
  unfinishedCalls: readonly UnfinishedCall[] | undefined;
  /** Wraps the preparation of steps, for a dry run of a later step. */
  aroundPrepareStep: ((prepareStep: PrepareStep) => PrepareStep) | undefined;
  /** What the loop continues, if another process began it. */
  takeOver: TakeOver | undefined;
};

/** Prepares what a step sends. */
export type PrepareStep = PrepareStepFunction<ToolSet, UserContext>;

type CallerOptions = Omit<
  PromptOptions,
  'plugins' | 'messages' | 'limits' | 'approval' | 'loopGuard' | 'tools'
>;

/** Composes the arguments of `streamText`, except model, messages and signal, of the caller's options and our own. */
export function composeStreamOptions(
  options: CallerOptions,
  context: StreamContext,
): Omit<StreamTextOptions, 'model' | 'prompt' | 'messages'> & { instructions?: Instructions } {
  const {
    agentContext,
    prompt,
    recorder,
    registry,
    tasks,
    steers,
    output,
    policy,
    approvals,
    modelCalls,
    aroundPrepareStep,
  } = context;
  const { system, instructions, systemFormat, forceTools = false, ...rest } = options;
  const { sink, runContext, past } = agentContext;
  const { definitions } = prompt;
  const own = joinInstructions(system, instructions);
  const recordVariables = createVariableRecorder(
    () => layered(definitions, tasks?.layer).variables,
    sink,
    past?.state.variables,
  );
  const describe = createRequestRecorder(
    runContext.secrets,
    (text) => locateParts(text, layered(definitions, tasks?.layer), systemFormat),
    past?.state.steps.at(-1)?.request,
  );
  const earlierSteps = past === undefined ? [] : pastSteps(past);
  const pause = agentContext.path === undefined ? runContext.durable?.pause : undefined;
  /** What the model is told before the next step. */
  let steered: PendingSteer | undefined;
  /** What it has received since the last step of another process. */
  let received: readonly ModelMessage[] = [];
  const shouldStop = createStopCheck(recorder, tasks, policy, rest.stopWhen);
  /** Finishes what another process, or an earlier attempt, has left open. */
  const beginLoop = async ({ messages }: { messages: readonly ModelMessage[] }): Promise<void> => {
    const { takeOver, unfinishedCalls = [], toolApproval, abortSignal: signal } = context;
    const instructions = (): Instructions | undefined => compileInstructions(definitions, own, systemFormat);
    const settling = { recorder, registry, toolApproval, signal };
    if (takeOver === undefined) {
      if (unfinishedCalls.length > 0) await finishStep(unfinishedCalls, messages, settling);
      return;
    }
    const taken = await takeOverLoop(takeOver, messages, {
      ...settling,
      agentContext,
      definitions,
      policy,
      instructions,
    });
    received = taken.received;
    const { hasEndedStep } = taken;
    if (!hasEndedStep || !(await shouldStop(withEarlier([])))) return;
    recorder.finish(takeOver.past.openStep?.finishReason ?? 'other');
    throw new CuelineError('aborted', 'The run has ended.');
  };
  const withEarlier = (steps: readonly LoopStep[]): LoopStep[] =>
    earlierSteps.length === 0 ? (steps as LoopStep[]) : [...earlierSteps, ...steps];
  const steering = rest.experimental_steering ?? createSteering();
  /** What hooks and `prepareStep` have changed for the step that is about to start. */
  let changes: object = {};
  /** The output that each step asks for, for the log. */
  let callOptions: object = {};
  recordVariables();
  registry.update(definitions.tools);
  context.toolApproval.check();
  const initial = compileInstructions(definitions, own, systemFormat);
  const prepareStep = createPrepareStep({
    agentContext,
    prompt,
    registry,
    tasks,
    instructions: own,
    systemFormat,
    activeTools: rest.activeTools,
    own: rest.prepareStep,
    forceTools: forceTools && rest.toolChoice === undefined,
    policy,
    approvals,
    opening: context.takeOver?.position?.opening,
    earlierSteps,
    takeReceived() {
      const taken = received;
      received = [];
      return taken;
    },
    onChange: (changed) => (changes = changed),
  });
  return {
    ...rest,
    ...(initial === undefined ? {} : { instructions: initial }),
    // if there are tools, even none in the list, the AI SDK sends every part through one more stream
    ...(definitions.tools.size > 0 ? { tools: registry.tools } : {}),
    ...(steers.length > 0 || policy !== undefined || definitions.tools.size > 0
      ? { experimental_steering: steering }
      : {}),
    ...(context.toolApproval.configuration === undefined
      ? {}
      : { toolApproval: context.toolApproval.configuration }),
    ...(context.attempts === undefined
      ? {}
      : { experimental_transform: [rest.experimental_transform ?? [], context.attempts.transform].flat() }),
    prepareStep: async (step) => {
      callOptions = await formatOf(output);
      if (step.stepNumber === 0) await beginLoop(step);
      const prepare = aroundPrepareStep?.(prepareStep) ?? prepareStep;
      const userStep = {
        ...step,
        model: modelCalls.unwrap(step.model),
        stepNumber: step.stepNumber + (past?.nextStep ?? 0),
      };
      const prepared = await runContext.track((async () => prepare(userStep))());
      // a session may have waited for a summary, and another process continues the run by now
      if (sink.ended) throw new CuelineError('aborted', 'The run has ended.');
      const model = prepared?.model;
      return model === undefined ? prepared : { ...prepared, model: modelCalls.wrap(model) };
    },
    stopWhen: async ({ steps }) => {
      if (await shouldStop(withEarlier(steps))) return true;
      if (runContext.durable === undefined || sink.ended) return false;
      // with the end of the step, so that no process has the one without the other
      if (steered !== undefined) recorder.steered(steered);
      steered = undefined;
      if (pause === undefined) return false;
      pause();
      return true;
    },
    ...recordingCallbacks(rest, context, {
      steering,
      recordVariables,
      onSteer: (steer) => (steered = steer),
      describe: (event) => describe(event, { ...loggedSettings({ ...rest, ...changes }), ...callOptions }),
    }),
  };
}

type LoopStep = StepResult<ToolSet, UserContext>;

/** Returns a function that says whether a loop may not take another step, although the model would. */
function createStopCheck(
  recorder: Recorder,
  tasks: TaskProgress | undefined,
  policy: LoopPolicy | undefined,
  stopWhen: CallerOptions['stopWhen'],
): (steps: LoopStep[]) => Promise<boolean> {
  const own = stopWhen === undefined ? [] : [stopWhen].flat().map(withScriptErrors);
  return async (steps) => {
    // after an error there is nothing to continue from
    if (recorder.failure !== undefined || tasks?.failed === true || policy?.done?.() === true) return true;
    const met = await Promise.all(own.map(async (condition) => condition({ steps })));
    return met.some(Boolean);
  };
}

/** The callbacks that write the stream into the log and continue the loop, before those of the caller. */
function recordingCallbacks(
  rest: CallerOptions,
  { agentContext, recorder, registry, steers, policy, approvals, abortSignal }: StreamContext,
  {
    steering,
    recordVariables,
    onSteer,
    describe,
  }: {
    steering: Steering;
    recordVariables: () => void;
    onSteer: (steer: PendingSteer) => void;
    describe: (event: StepStart) => RequestChange;
  },
): Partial<StreamTextOptions> {
  const { sink, runContext } = agentContext;
  return {
    onChunk: beforeCallback(({ chunk }) => {
      recorder.part(chunk);
      // no tool sees such calls, and a model may make them without end
      if (chunk.type === 'tool-call' && chunk.invalid === true && chunk.providerExecuted !== true) {
        registry.invalid(chunk.toolName, chunk.input);
      }
    }, rest.onChunk),
    // without a listener, the AI SDK prints to the console; errors are in the log
    onError: rest.onError ?? (() => {}),
    onAbort: composeCallbacks((event) => recorder.aborted(event.reason), rest.onAbort),
    onStepError: composeCallbacks((event) => recorder.fail(event.error), rest.onStepError),
    onStepEnd: composeCallbacks(
      async (step) => {
        // the tokens are spent; only the next call is refused
        runContext.budget.addTokens(step.usage);
        if (approvals.requested) {
          const goesOn = await Promise.resolve(policy?.paused?.(step) ?? true).catch((error: unknown) =>
            recorder.fail(error),
          );
          return goesOn === true ? approvals.settle(steering, abortSignal) : undefined;
        }
        await steerLoop(step, steers, steering, sink, onSteer);
        if (policy === undefined || sink.ended) return;
        // the AI SDK continues whatever its callbacks throw
        await continueLoop(step, policy, steering, onSteer).catch((error: unknown) => recorder.fail(error));
      },
      rest.onStepEnd,
      rest.onStepFinish,
    ),
    ...(runContext.durable === undefined
      ? {}
      : {
          onLanguageModelCallEnd: composeCallbacks(
            (event) => recorder.answered(event),
            rest.onLanguageModelCallEnd,
          ),
        }),
    // a caller's transform may have kept the last part of the stream
    onEnd: composeCallbacks((event) => recorder.finish(event.finishReason), rest.onEnd, rest.onFinish),
    onStepStart: composeCallbacks((event) => {
      recordVariables();
      recorder.stepStarted({
        type: 'step-start',
        step: event.stepNumber,
        request: describe(event),
      });
    }, rest.onStepStart ?? rest.experimental_onStepStart),
  };
}

/** Wraps the caller's condition. What it throws is the script's error, not the model's. */
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

function loggedSettings(options: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    settingNames.flatMap((name) => (options[name] === undefined ? [] : [[name, options[name]]])),
  );
}

/** Returns the form of the answer that is asked for; undefined for text. */
async function formatOf(output: OutputInterface | undefined): Promise<object> {
  const responseFormat = await output?.responseFormat;
  return responseFormat === undefined || responseFormat.type === 'text' ? {} : { responseFormat };
}

/** Logs each variable that is new, has changed, or was removed with its task since the last call. */
function createVariableRecorder(
  current: () => ReadonlyMap<string, Variable>,
  sink: EventSink,
  earlier: Readonly<Record<string, VariableState>> = {},
): () => void {
  const written = new Map<string, VariableState>(Object.entries(earlier));
  let isFirst = true;
  return () => {
    const variables = current();
    for (const name of written.keys()) {
      // before the first step, the current task has not made its definitions again
      if (isFirst || variables.has(name)) continue;
      written.delete(name);
      sink.append({ type: 'variable-unset', name });
    }
    isFirst = false;
    for (const [name, variable] of variables) {
      const { kind, value } = variable;
      const before = written.get(name);
      if (before === variable) continue;
      written.set(name, variable);
      // set by another process of the run
      if (before !== undefined && before === earlier[name] && isSameVariable(before, variable)) continue;
      sink.append({ type: 'variable-set', name, kind, value });
    }
  };
}

function isSameVariable(one: VariableState, other: VariableState): boolean {
  return one.kind === other.kind && one.value === other.value;
}
