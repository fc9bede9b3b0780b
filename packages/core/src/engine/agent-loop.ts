import { streamText, type ModelMessage, type OutputInterface, type StreamTextResult, type ToolSet } from 'ai';
import type { CuelineError } from '../base/errors.ts';
import { activeTime } from '../log/active-time.ts';
import type { RunPast } from '../log/run-past.ts';
import type { UnfinishedCall } from '../log/unfinished-step.ts';
import { isBrowser } from '../models/platform.ts';
import { toRunError } from '../models/run-error.ts';
import type { UserContext } from '../prompt/call-settings.ts';
import type { PromptBuilder } from '../prompt/prompt-builder.ts';
import type { PromptOptions } from '../prompt/prompt-options.ts';
import type { TaskListDefinition } from '../prompt/task-list.ts';
import { guardedDownload } from '../provider/guarded-download.ts';
import { createModelCalls } from '../provider/model-calls.ts';
import { readTimeouts, withTotalLimit } from '../provider/timeout-options.ts';
import type { AgentContext, DurableRun } from '../tool-calls/run-context.ts';
import { createToolApproval } from '../tool-calls/tool-approval.ts';
import { createToolRegistry } from '../tool-calls/tool-registry.ts';
import type { ToolSchema } from '../tools/schema.ts';
import { convertOnce } from './convert-once.ts';
import type { EarlyEnd, Ending } from './ending.ts';
import type { LoopPolicy } from './loop-policy.ts';
import { createProviderApprovals, separateAnswers } from './provider-approvals.ts';
import { createRecorder, type Recorder } from './recording/recorder.ts';
import { createResponseCheck, type ResponseCheck } from './response-check.ts';
import type { Steer } from './steer.ts';
import { createStreamAttempts } from './stream-attempts.ts';
import type { StreamContext } from './stream-context.ts';
import { composeStreamOptions } from './stream-options.ts';
import type { ContinuedTask } from './take-over/continued-task.ts';
import type { TakeOver } from './take-over/take-over.ts';
import { TaskProgress } from './task-progress.ts';

/** What an agent loop needs. */
export type AgentLoopOptions = {
  prompt: PromptBuilder;
  messages: ModelMessage[];
  options: Omit<PromptOptions, 'plugins' | 'messages' | 'limits' | 'approval' | 'loopGuard' | 'tools'>;
  abortSignal: AbortSignal;
  /** The schema of an agent's answer. */
  responseSchema?: ToolSchema;
  /** The loop policy of a session or an agent call. */
  policy?: LoopPolicy | undefined;
  /** Calls that the last of `messages` leaves open. */
  unfinishedCalls?: readonly UnfinishedCall[] | undefined;
  /** The task that the last of `messages` was working on. */
  continuedTask?: ContinuedTask | undefined;
  /** What the loop continues, if another process began it. */
  takeOver?: TakeOver | undefined;
  aroundPrepareStep?: StreamContext['aroundPrepareStep'];
  onEnd: (ending: Ending) => void;
};

/** A running agent loop. Reading `result` drives it. */
export type AgentLoop = {
  result: StreamTextResult<ToolSet, UserContext, OutputInterface>;
  recorder: Recorder;
  /** The check of the answer, if there is a response schema. */
  response: ResponseCheck | undefined;
};

/** Starts an agent loop, the run's own or an agent's. The only function that calls `streamText`. */
export function startAgentLoop(agentContext: AgentContext, loopOptions: AgentLoopOptions): AgentLoop {
  keepConsoleQuiet();
  const { runContext, sink, path, past } = agentContext;
  const { prompt, responseSchema, policy, takeOver } = loopOptions;
  const { timeout, maxRetries, ...options } = loopOptions.options;
  const timeouts = readTimeouts(timeout);
  const who = path === undefined ? 'The run' : 'The agent';
  const spent = (): number => spentBefore(agentContext);
  const abortSignal = withTotalLimit(loopOptions.abortSignal, timeouts.totalMs, who, spent);
  const { taskList } = prompt.definitions;
  if (past !== undefined) takeOverPast(agentContext, past, taskList);
  // before the first events, because a listener may edit a task at once
  if (taskList !== undefined) runContext.taskLists.set(path ?? '', taskList);
  const position = takeOver === undefined ? loopOptions.continuedTask : takeOver.position;
  const tasks = taskList === undefined ? undefined : new TaskProgress(prompt, taskList, sink, position);
  const response =
    responseSchema === undefined ? undefined : createResponseCheck(responseSchema, past?.corrections);
  const unfinished = (early?: EarlyEnd): CuelineError | 'waiting' | undefined => {
    const { error, waiting = false } = policy?.result?.() ?? {};
    return tasks?.unfinished(early) ?? response?.failure(early) ?? error ?? (waiting ? 'waiting' : undefined);
  };
  const approvals = createProviderApprovals(agentContext);
  const { messages, answers } =
    takeOver === undefined
      ? { messages: loopOptions.messages, answers: [] }
      : separateAnswers(loopOptions.messages);
  approvals.resume(answers);
  const toolApproval = createToolApproval(options.toolApproval, () => registry.tools);
  const attempts = options.streamRetries === undefined ? undefined : createStreamAttempts();
  const recorder = createRecorder(sink, {
    brokenBefore: attempts?.brokenBefore,
    logsAnswers: runContext.durable !== undefined,
    ...(past === undefined ? {} : { firstStep: past.nextStep }),
    secrets: runContext.secrets,
    onEnd(ending) {
      policy?.ended?.(ending);
      loopOptions.onEnd(ending);
    },
    unfinished,
    onSpent: (usage) => runContext.budget.addTokens(usage),
    onToolError: (toolCallId, error) => policy?.toolFailed?.(toolCallId, error),
    tools: () => registry.tools,
    askApproval(part) {
      const canAsk = part.toolCall.providerExecuted === true;
      if (canAsk) approvals.add(part);
      return canAsk;
    },
  });
  const registry = createToolRegistry({
    agentContext,
    recorder: recorder.calls,
    onStart: (toolName) => tasks?.called(toolName),
    toolMs: timeouts.toolMs,
    verdictOf: toolApproval.verdictOf,
    strictLoops: policy?.cause === 'call',
  });
  const modelCalls = createModelCalls(policy, {
    timeouts: timeouts.model,
    retries: maxRetries,
    leavesStreams: options.streamRetries !== undefined,
    secrets: runContext.secrets,
    onRetry: (retry) => recorder.retries(retry),
  });
  const result = withNamedErrors(() =>
    streamText<ToolSet, UserContext, OutputInterface>({
      ...convertOnce(
        composeStreamOptions(options, {
          agentContext,
          prompt,
          recorder,
          registry,
          tasks,
          steers: steersOf(tasks, response, path === undefined ? runContext.durable : undefined),
          output: response?.output ?? options.output,
          policy,
          approvals,
          toolApproval,
          attempts,
          modelCalls,
          abortSignal,
          unfinishedCalls: loopOptions.unfinishedCalls,
          takeOver,
          initialMessageCount: position?.initialMessageCount,
          aroundPrepareStep: loopOptions.aroundPrepareStep,
        }),
      ),
      ...(response === undefined ? {} : { output: response.output }),
      // with any list of tools, even an empty one, the AI SDK sends every part through one more stream
      ...(prompt.definitions.tools.size === 0 ? {} : { tools: registry.tools }),
      ...timeouts.sdk,
      // the wrapped model retries by itself
      maxRetries: 0,
      experimental_download: options.experimental_download ?? guardedDownload(),
      model: modelCalls.wrap(agentContext.model),
      messages,
      abortSignal,
    }),
  );
  return { result, recorder, response };
}

/**
 * The log contains the AI SDK's warnings. In a page they would also be on the console, unless the page asks for that.
 */
function keepConsoleQuiet(): void {
  if (isBrowser()) globalThis.AI_SDK_LOG_WARNINGS ??= false;
}

/** Returns how long a loop of a durable run has worked in other processes, in milliseconds. */
function spentBefore({ runContext, past }: AgentContext): number {
  // a retry gets the whole time again
  if (runContext.durable === undefined || past === undefined) return 0;
  return activeTime(past.events) - (past.events[0]?.t ?? 0);
}

/** Passes what another process has left of this loop to the state that a run and its agents share. */
function takeOverPast(
  { runContext, path }: AgentContext,
  past: RunPast,
  taskList: TaskListDefinition | undefined,
): void {
  // the agents of an open step continue under their paths
  runContext.reserve(past, path, past.continuesFrom);
  taskList?.takeOver(past.taskEvents);
  // of any other run, the log may come from elsewhere, and its approvals with it
  if (past.openStep !== undefined && runContext.durable !== undefined)
    runContext.pending.takeOver(past.openStep.asked, path);
}

/**
 * Returns the reasons for which a model that stops too early has to continue: open tasks, and an answer that does not
 * fit.
 */
function steersOf(
  tasks: TaskProgress | undefined,
  response: ResponseCheck | undefined,
  durable: DurableRun | undefined,
): Steer[] {
  const nudge = async (): Promise<string | undefined> => {
    await durable?.beforeEnd();
    return tasks?.nudge();
  };
  // while tasks are open, the answer is not the result
  const check: Steer['message'] = (step) =>
    tasks?.unfinished() === undefined ? response?.check(step) : undefined;
  return [
    ...(tasks === undefined ? [] : [{ cause: 'tasks' as const, message: nudge }]),
    ...(response === undefined ? [] : [{ cause: 'output' as const, message: check }]),
  ];
}

/** Throws settings that the AI SDK refuses as a caller's mistake like any other. */
function withNamedErrors<Value>(start: () => Value): Value {
  try {
    return start();
  } catch (error) {
    throw toRunError(error);
  }
}
