import type { LanguageModel } from 'ai';
import { createId } from '../base/create-id.ts';
import type { CuelineError } from '../base/errors.ts';
import type { TrackWork } from '../base/track-work.ts';
import { agentsBefore } from '../log/agent-log.ts';
import type { RunEvent, RunEventBody } from '../log/events.ts';
import type { RunLog } from '../log/run-log.ts';
import type { RunPast } from '../log/run-past.ts';
import type { Models } from '../models/create-models.ts';
import type { AgentDefinition } from '../prompt/agent.ts';
import type { Limits } from '../prompt/prompt-options.ts';
import type { TaskListDefinition } from '../prompt/task-list.ts';
import type { ToolContext, ToolEffect } from '../tools/tool-types.ts';
import { createBudget, type Budget } from './limits.ts';
import type { LoopRules } from './loop-rules.ts';
import { createPendingResponses, type PendingResponses } from './pending-responses.ts';
import { createSemaphore, type Permit, type Semaphore } from './semaphore.ts';

/** One call of a run, or of an agent in it. */
export type StartedCall = { toolCallId: string; agent?: string | undefined };

/** Resolves once the log that contains the start of the call is stored. */
export type WhenStored = (call: StartedCall) => Promise<void>;

/** A tool call that an agent answers. */
export type AgentCall = { name: string; agent: AgentDefinition; args: unknown; context: ToolContext };

/** A run that is advanced step by step, each time perhaps in another process. */
export type DurableRun = {
  /**
   * Called before the run ends because its model has stopped. By the time it resolves, edits may have added open
   * tasks.
   */
  beforeEnd(): Promise<void>;
  /** Called when another step of the run itself would follow. It logs nothing more after that. */
  pause(): void;
};

/** The context that a run and all its agents share. */
export type RunContext = {
  readonly log: RunLog;
  readonly models: Models;
  readonly secrets: readonly string[];
  readonly budget: Budget;
  /** Limits how many tool calls run at the same time. */
  readonly semaphore: Semaphore;
  readonly pending: PendingResponses;
  /** The effects for which a call needs an approval. */
  readonly approvedEffects: readonly ToolEffect[];
  /** How often the same call may be made. */
  readonly loopRules: LoopRules;
  /** Runs an agent, and returns its answer as the result of the tool call. */
  answer(parent: AgentContext, call: AgentCall): Promise<unknown>;
  /** Ends the whole run with an error of any of its agents. */
  fail(error: CuelineError): void;
  /** Reports to the host that a function of the prompt is running. */
  readonly track: TrackWork;
  /** Resolves once the start of a call is stored. Missing if the run is not stored. */
  readonly whenStored: WhenStored | undefined;
  /** Set for a run that is advanced step by step. */
  readonly durable: DurableRun | undefined;
  /** Keeps the paths of the agents that a loop has started before an index of its log for these. */
  reserve(earlier: RunPast, parent: string | undefined, until: number): void;
  /** Takes a path for an agent that had it before; false if another agent of this run has it. */
  claim(path: string): boolean;
  /** Returns the path of the agent that answers `toolCallId`. Paths are unique, also if a model repeats an id. */
  pathOf(parent: string | undefined, toolCallId: string): string;
  /** The task lists of the run (under the empty path) and of its agents, by path. */
  readonly taskLists: Map<string, TaskListDefinition>;
  /** The recorders of the agents at work, whose steps stop with the run. */
  readonly stepRecorders: Set<StepRecorder>;
};

/** Records the steps of one loop. */
export type StepRecorder = {
  /** Records the whole answer of a step that will not end, so that its tokens count. */
  stepStops(): void;
};

/** The context of one agent loop: the run itself or one of its agents. */
export type AgentContext = {
  readonly runContext: RunContext;
  /** Missing for the run itself. */
  readonly path: string | undefined;
  /** 0 for the run itself. */
  readonly depth: number;
  /** The prefix of the keys of its calls. */
  readonly callBase: string;
  readonly model: LanguageModel;
  /** Receives its events. */
  readonly sink: EventSink;
  /** The past of the loop, if another process began it. */
  readonly past?: RunPast | undefined;
  /** The events of the agents that continue in the unfinished calls of a retried run. */
  readonly agentEvents?: readonly RunEvent[] | undefined;
  /** The number of steps of the answer that a retried run continues. Its first step is the one after them. */
  readonly keptSteps?: number | undefined;
  /** Releases the permit of a tool's call while an agent works inside it. Missing if there is no such call. */
  readonly releaseWhile?: Permit['releaseWhile'];
};

/** Receives events; drops those that come after the end. */
export type EventSink = {
  append(body: RunEventBody): void;
  readonly ended: boolean;
};

/** Creates the context that the run of this `log` shares with its agents. */
export function createRunContext(
  log: RunLog,
  models: Models,
  settings: { limits: Limits; past: RunPast | undefined } & Pick<
    RunContext,
    'approvedEffects' | 'loopRules' | 'answer' | 'fail' | 'track' | 'whenStored' | 'durable'
  >,
): RunContext {
  const { past } = settings;
  const paths = new Set<string>();
  const secrets = models.secrets();
  return {
    log,
    models,
    secrets,
    budget: createBudget(settings.limits, past?.used),
    semaphore: createSemaphore(settings.limits.concurrentToolCalls),
    pending: createPendingResponses(
      (event, agent) => log.append(agent === undefined ? event : { ...event, agent }),
      () => createId('req'),
    ),
    approvedEffects: settings.approvedEffects,
    loopRules: settings.loopRules,
    answer: settings.answer,
    fail: settings.fail,
    track: settings.track,
    whenStored: settings.whenStored,
    durable: settings.durable,
    reserve(earlier, parent, until) {
      for (const path of agentsBefore(earlier.events, until)) {
        paths.add(parent === undefined ? path : `${parent}/${path}`);
      }
    },
    claim(path) {
      const isFree = !paths.has(path);
      paths.add(path);
      return isFree;
    },
    pathOf(parent, toolCallId) {
      const first = parent === undefined ? toolCallId : `${parent}/${toolCallId}`;
      let path = first;
      for (let count = 2; paths.has(path); count += 1) path = `${first}~${count}`;
      paths.add(path);
      return path;
    },
    taskLists: new Map(),
    stepRecorders: new Set(),
  };
}

/** The agent contexts of calls, by the contexts that their tool functions get. */
const contexts = new WeakMap<ToolContext, AgentContext>();

/** Remembers the agent context of the call that a tool function gets this context with. */
export function bindAgentContext(context: ToolContext, agentContext: AgentContext): ToolContext {
  contexts.set(context, agentContext);
  return context;
}

/**
 * Returns the agent context of the call that a tool function got this context with; undefined for any other object.
 */
export function agentContextOf(context: ToolContext): AgentContext | undefined {
  return contexts.get(context);
}
