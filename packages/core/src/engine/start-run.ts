import type { LanguageModel, ModelMessage, OutputInterface, StreamTextResult, Tool, UIMessage } from 'ai';
import { createId } from '../base/create-id.ts';
import { CuelineError } from '../base/errors.ts';
import { trackWork, type WorkListener } from '../base/track-work.ts';
import { untilAborted } from '../base/until-aborted.ts';
import { LOG_VERSION, type RunEventBody } from '../log/events.ts';
import type { RunHandle } from '../log/run-handle.ts';
import { createRunLog, type RunLog } from '../log/run-log.ts';
import type { RunPast } from '../log/run-past.ts';
import { withRedactedKeys } from '../messages/redact-keys.ts';
import { toJson } from '../messages/to-json.ts';
import { toModelMessages, toUIMessages } from '../messages/ui-messages.ts';
import { bindModels } from '../models/create-models.ts';
import type { UserContext } from '../prompt/call-settings.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import type { Definitions } from '../prompt/definitions.ts';
import { checkRunOptions } from '../prompt/option-names.ts';
import type { PromptConfig, PromptSource, TextOutput } from '../prompt/prompt-options.ts';
import type { Plugin, PluginMethods, Prompt } from '../prompt/prompt.ts';
import {
  createRunContext,
  type AgentContext,
  type DurableRun,
  type WhenStored,
} from '../tool-calls/run-context.ts';
import { toolsWithModelOutput } from '../tools/model-output.ts';
import { startAgentLoop } from './agent-loop.ts';
import { createRunHandle } from './create-run-handle.ts';
import type { Ending } from './ending.ts';
import { explainRejections } from './explain-rejections.ts';
import { openRun, toDefinition, type OpenedRun } from './open-run.ts';
import type { Recorder } from './recording/recorder.ts';
import { runAgent } from './run-agent.ts';
import { messagesOf, openCallsOf, takeOverOf } from './take-over/take-over.ts';

/** Tools that the compiler does not know, because the prompt function defines them while it runs. */
type UnknownTools = Record<string, Tool<unknown, unknown>>;

/** The result of `runPrompt`: three views of one run. */
export type RunPromptResult<
  Output extends OutputInterface = TextOutput,
  Plugins extends readonly Plugin[] = readonly [],
> = {
  /** The AI SDK's own result: `textStream`, `text`, `usage`, `toolCalls`, … Reading it drives the run. */
  result: StreamTextResult<UnknownTools, UserContext, Output>;
  /** The prompt with all definitions of its function. */
  prompt: Prompt & { readonly definitions: Definitions } & PluginMethods<Plugins>;
  /** The run, to be watched, answered and stopped. Reading it drives the run. */
  run: RunHandle;
};

/** Settings of a start that its caller does not set. */
type StartSettings = {
  onWork?: WorkListener | undefined;
  whenStored?: WhenStored | undefined;
  /** The run, if it is advanced step by step. */
  durable?: AdvancedRun | undefined;
};

/** A run that is advanced step by step. */
export type AdvancedRun = DurableRun & {
  readonly runId: string;
  /** The log, with everything that is stored of the run. */
  readonly log: RunLog;
  /** Missing if the run begins. */
  readonly past: RunPast | undefined;
};

/**
 * Opens the prompt and starts the run. The implementation of `runPrompt`, apart so that a page loads it with its
 * first run.
 */
export async function startRun<
  Input = void,
  Output extends OutputInterface = TextOutput,
  const Plugins extends readonly Plugin[] = readonly [],
>(
  source: PromptSource<Input, Plugins>,
  // a caller in JavaScript may leave it out
  config: PromptConfig<Input, Output, Plugins> = {} as PromptConfig<Input, Output, Plugins>,
  { onWork, whenStored, durable }: StartSettings = {},
): Promise<RunPromptResult<Output, Plugins>> {
  const definition = toDefinition(source);
  // before the model is looked up, so that a misspelt `model` is named
  checkRunOptions(config);
  const models = bindModels(config);
  const model = await models.resolve(requireModel(config.model ?? definition.model));
  // a prompt function that ignores the signal must not delay the caller who aborts
  const track = trackWork(onWork);
  const past = durable?.past;
  const runId = durable?.runId ?? createId('run');
  const openCalls = past === undefined ? [] : openCallsOf(past, runId);
  const opened = await untilAborted(
    track(
      openRun(definition, past === undefined ? config : { ...config, messages: messagesOf(past, openCalls) }),
    ),
    abortedLater(config.options?.abortSignal),
  );

  const log = withRedactedKeys(durable?.log ?? createRunLog(), models.secrets());
  if (past === undefined) log.append(runStart(runId, definition, config.input, model, opened));
  const abort = new AbortController();
  const { abortSignal } = opened;
  const runContext = createRunContext(log, models, {
    limits: opened.limits,
    approvedEffects: opened.approvedEffects,
    loopRules: opened.loopRules,
    answer: runAgent,
    track,
    whenStored,
    durable,
    past,
    fail(error) {
      recorder.fail(error);
      abort.abort(error);
    },
  });
  for (const toolCallId of answeredCalls(config)) runContext.pathOf(undefined, toolCallId);
  const stop = (reason: unknown = new CuelineError('aborted', 'The run was stopped.')): void => {
    recorder.end('stopped');
    abort.abort(reason);
  };
  const agentContext: AgentContext = {
    runContext,
    path: undefined,
    depth: 0,
    callBase: runId,
    model,
    sink: log,
    past,
    agentEvents: config.unfinishedCalls?.flatMap((call) => call.agentEvents ?? []),
    keptSteps: countAnsweredSteps(config),
  };
  const policy = opened.policySetup?.policy({
    agentContext,
    messages: past === undefined ? opened.messages : await openingMessages(opened, config.messages),
    options: opened.options,
    abortSignal: abort.signal,
  });
  const { result, recorder, response } = startAgentLoop(agentContext, {
    prompt: opened.prompt,
    messages: opened.messages,
    options: opened.options,
    abortSignal: abort.signal,
    ...(definition.output === undefined ? {} : { responseSchema: definition.output }),
    policy,
    unfinishedCalls: config.unfinishedCalls,
    continuedTask: opened.continuedTask,
    takeOver: past === undefined ? undefined : await takeOverOf(past, openCalls, opened),
    onEnd(ending) {
      const output = response === undefined ? policy?.result?.()?.output : response.value;
      for (const steps of runContext.stepRecorders) steps.stepStops();
      log.append(runEnd(ending, output, runContext.secrets));
    },
  });
  followSignal(abortSignal, durable === undefined ? log : undefined, stop);
  return {
    // only the caller's options know the output's type
    result: explainRejections(result, () => recorder.failure) as RunPromptResult<Output>['result'],
    // the prompt has its plugins' methods now
    prompt: opened.prompt,
    run: createRunHandle(runId, runContext, () => void readToEnd(result, recorder), stop),
  };
}

/** Reads a result that nothing else reads. A run ends in every case. */
async function readToEnd(
  result: Pick<StreamTextResult<UnknownTools, UserContext, OutputInterface>, 'consumeStream'>,
  recorder: Recorder,
): Promise<void> {
  await result.consumeStream({ onError: (error) => recorder.fail(error) });
  // the end is missing for some reason, and no more events come
  recorder.fail(new CuelineError('stream_truncated', 'The run ended unexpectedly. Start it again.'));
}

/**
 * Returns the ids of the calls in the answer that a retry continues. A retried run has the agents of these calls in its
 * log, so an agent whose call repeats an id needs another path.
 */
function answeredCalls({
  messages = [],
  unfinishedCalls = [],
}: Pick<PromptConfig, 'messages' | 'unfinishedCalls'>): string[] {
  const last = messages.at(-1);
  if (last?.role !== 'assistant') return [];
  const unfinished = new Set(unfinishedCalls.map(({ toolCallId }) => toolCallId));
  return last.parts.flatMap((part) => {
    const isAnswered =
      'toolCallId' in part && (part.state === 'output-available' || part.state === 'output-error');
    return isAnswered && !unfinished.has(part.toolCallId) ? [part.toolCallId] : [];
  });
}

/** Returns the number of steps of the answer that a retry continues. */
function countAnsweredSteps({ messages = [] }: Pick<PromptConfig, 'messages'>): number {
  const last = messages.at(-1);
  return last?.role === 'assistant' ? last.parts.filter(({ type }) => type === 'step-start').length : 0;
}

/** Returns the first event of a run. */
function runStart(
  runId: string,
  { name, library, output }: Pick<PromptDefinition<never>, 'name' | 'library' | 'output'>,
  input: unknown,
  model: { provider: string; modelId: string },
  { promptMessages, turns, policySetup }: OpenedRun,
): RunEventBody {
  return {
    type: 'run-start',
    v: LOG_VERSION,
    runId,
    ...(name === '' ? {} : { name }),
    ...(library === undefined ? {} : { library }),
    model: `${model.provider}:${model.modelId}`,
    ...(model.provider === 'simulated' ? { simulated: true } : {}),
    ...(input === undefined ? {} : { input: toJson(input) }),
    messages: [...toUIMessages(promptMessages), ...(toJson(turns) as UIMessage[])],
    ...(turns.length === 0 ? {} : { turns: turns.length }),
    messageId: createId('msg'),
    ...(output === undefined && policySetup?.structured !== true ? {} : { structured: true }),
  };
}

/** Returns the last event of a run. */
function runEnd(
  { outcome, finishReason, error }: Ending,
  output: unknown,
  secrets: readonly string[],
): RunEventBody {
  return {
    type: 'run-end',
    outcome,
    ...(finishReason === undefined ? {} : { finishReason }),
    ...(outcome === 'done' && output !== undefined ? { output: toJson(output, secrets) } : {}),
    ...(error === undefined ? {} : { error: error.toJSON() }),
  };
}

/**
 * Waits a moment for a prompt function whose signal was aborted before the start. Most functions return within
 * it, and the run then ends as stopped.
 */
function abortedLater(signal: AbortSignal | undefined): AbortSignal | undefined {
  if (signal?.aborted !== true) return signal;
  const later = new AbortController();
  setTimeout(() => later.abort(signal.reason));
  return later.signal;
}

/**
 * Stops with the signal's reason. Removes the listener when the run of `log` has ended, because the signal may
 * outlive many runs. That of a durable run belongs to one step, and must end the step's work also after the run's end
 * is in the log.
 */
function followSignal(
  signal: AbortSignal | undefined,
  log: RunLog | undefined,
  stop: (reason: unknown) => void,
): void {
  if (signal === undefined) return;
  const onAbort = (): void => stop(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  log?.listen(({ type }) => {
    if (type === 'run-end') signal.removeEventListener('abort', onAbort);
  });
  if (signal.aborted) onAbort();
}

/** Returns the messages with which a run began. */
async function openingMessages(
  { prompt, promptMessages }: OpenedRun,
  turns: readonly UIMessage[] = [],
): Promise<ModelMessage[]> {
  return [
    ...promptMessages,
    ...(await toModelMessages(turns, toolsWithModelOutput(prompt.definitions.tools))),
  ];
}

function requireModel(model: string | LanguageModel | undefined): string | LanguageModel {
  if (model !== undefined) return model;
  throw new CuelineError(
    'invalid_options',
    "No model is given. Pass { model: 'openai:gpt-4o' }, an AI SDK model, or 'simulated:demo' to try without a key.",
  );
}
