import type { OutputInterface, PrepareStepFunction, ToolSet } from 'ai';
import type { UnfinishedCall } from '../log/unfinished-step.ts';
import type { UserContext } from '../prompt/call-settings.ts';
import type { PromptBuilder } from '../prompt/prompt-builder.ts';
import type { PromptOptions } from '../prompt/prompt-options.ts';
import type { ModelCalls } from '../provider/model-calls.ts';
import type { AgentContext } from '../tool-calls/run-context.ts';
import type { ToolApproval } from '../tool-calls/tool-approval.ts';
import type { ToolRegistry } from '../tool-calls/tool-registry.ts';
import type { LoopPolicy } from './loop-policy.ts';
import type { ProviderApprovals } from './provider-approvals.ts';
import type { Recorder } from './recording/recorder.ts';
import type { Steer } from './steer.ts';
import type { StreamAttempts } from './stream-attempts.ts';
import type { TakeOver } from './take-over/take-over.ts';
import type { TaskProgress } from './task-progress.ts';

/** What the options of an agent loop are composed with. */
export type StreamContext = {
  agentContext: AgentContext;
  prompt: PromptBuilder;
  recorder: Recorder;
  registry: ToolRegistry;
  tasks: TaskProgress | undefined;
  /** Called in this order when the model stops. */
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
  /** Number of messages that the run began with; missing if it begins here. */
  initialMessageCount: number | undefined;
};

/** Prepares what a step sends. */
export type PrepareStep = PrepareStepFunction<ToolSet, UserContext>;

/** The caller's options that go to `streamText`. */
export type CallerOptions = Omit<
  PromptOptions,
  'plugins' | 'messages' | 'limits' | 'approval' | 'loopGuard' | 'tools' | 'timeout'
>;
