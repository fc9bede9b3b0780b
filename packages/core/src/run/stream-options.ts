import { isStepCount, type Instructions } from 'ai';
import { compileInstructions } from '../compile/instructions.ts';
import type { RunLog } from '../log/run-log.ts';
import type { Models } from '../models/create-models.ts';
import type { Definitions, Variable } from '../prompt/definitions.ts';
import { beforeCallback, composeCallbacks } from './compose.ts';
import type { PromptOptions, StreamTextOptions } from './options.ts';
import { createPrepareStep } from './prepare-step.ts';
import type { Recorder } from './recorder.ts';
import { createRequestRecorder } from './request.ts';

/** How many steps a run may take where the caller's `stopWhen` does not say when it is finished. */
const MAX_STEPS = 50;

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

/** What a run's options are composed with. */
export type StreamContext = {
  definitions: Definitions;
  log: RunLog;
  recorder: Recorder;
  models: Models;
};

/** The arguments of `streamText`, but for model, messages and signal: the caller's options composed with our own ends. */
export function composeStreamOptions(
  options: Omit<PromptOptions, 'plugins' | 'messages'>,
  { definitions, log, recorder, models }: StreamContext,
): Omit<StreamTextOptions, 'model' | 'prompt' | 'messages'> & { instructions?: Instructions } {
  const { system, instructions, systemFormat, ...rest } = options;
  const own = joinInstructions(system, instructions);
  const compile = (): Instructions | undefined => compileInstructions(definitions, own, systemFormat);
  const recordVariables = createVariableRecorder(definitions, log);
  const describe = createRequestRecorder(models.secrets());
  /** What `prepareStep` has changed for the step that is about to start. */
  let changes: object = {};
  recordVariables();
  const initial = compile();
  return {
    ...rest,
    ...(initial === undefined ? {} : { instructions: initial }),
    // with tools, even with none in them, the AI SDK sends every part through one more stream
    ...(hasTools(definitions) ? { tools: definitions.tools } : {}),
    prepareStep: createPrepareStep({
      compile,
      tools: definitions.tools,
      activeTools: rest.activeTools,
      own: rest.prepareStep,
      models,
      onChange: (changed) => (changes = changed),
    }),
    stopWhen: [
      // after an error there is nothing to go on from
      () => recorder.failure !== undefined,
      ...(rest.stopWhen === undefined ? [stepLimit(log)] : [rest.stopWhen].flat()),
    ],
    onChunk: beforeCallback(({ chunk }) => recorder.part(chunk), rest.onChunk),
    // without one, the AI SDK prints to the console; errors are in the log
    onError: rest.onError ?? (() => {}),
    onAbort: composeCallbacks((event) => recorder.aborted(event.reason), rest.onAbort),
    onStepError: composeCallbacks((event) => recorder.fail(event.error), rest.onStepError),
    onStepEnd: composeCallbacks(rest.onStepEnd, rest.onStepFinish),
    // a transform of the caller's may have kept the last part of the stream to itself
    onEnd: composeCallbacks((event) => recorder.finish(event.finishReason), rest.onEnd, rest.onFinish),
    onStepStart: composeCallbacks((event) => {
      recordVariables();
      recorder.stepStarted({
        type: 'step-start',
        step: event.stepNumber,
        request: describe(event, loggedSettings({ ...rest, ...changes })),
      });
    }, rest.onStepStart ?? rest.experimental_onStepStart),
    onToolExecutionStart: composeCallbacks(
      ({ toolCall: { toolCallId, toolName } }) => recorder.toolStarted(toolCallId, toolName),
      rest.onToolExecutionStart ?? rest.experimental_onToolCallStart,
    ),
    onToolExecutionEnd: composeCallbacks(
      ({ toolCall: { toolCallId }, toolExecutionMs }) =>
        recorder.toolTimed(toolCallId, Math.round(toolExecutionMs * 100) / 100),
      rest.onToolExecutionEnd ?? rest.experimental_onToolCallFinish,
    ),
  };
}

function hasTools({ tools }: Definitions): boolean {
  return Object.keys(tools).length > 0;
}

function joinInstructions(...parts: (Instructions | undefined)[]): Instructions | undefined {
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

/** Ends a run that would go on for ever, and says so. */
function stepLimit(log: RunLog): (state: { steps: { finishReason: string }[] }) => boolean {
  const reached = isStepCount(MAX_STEPS);
  return (state) => {
    if (!(reached(state as never) as boolean)) return false;
    log.append({
      type: 'warning',
      message: `The run was ended after ${MAX_STEPS} steps. Say when it is finished with options.stopWhen.`,
    });
    return true;
  };
}

/** Writes down each variable that is new or has changed since it was last asked. */
function createVariableRecorder(definitions: Definitions, log: RunLog): () => void {
  const written = new Map<string, Variable>();
  return () => {
    for (const [name, variable] of definitions.variables) {
      if (written.get(name) === variable) continue;
      written.set(name, variable);
      log.append({ type: 'variable-set', name, ...variable });
    }
  };
}
