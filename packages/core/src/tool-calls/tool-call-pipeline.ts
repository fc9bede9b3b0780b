import { getErrorMessage } from '@ai-sdk/provider';
import type { FlexibleSchema } from 'ai';
import { anySignal } from '../base/any-signal.ts';
import { capText } from '../base/cap-text.ts';
import { sourceOf } from '../base/error-source.ts';
import { CuelineError } from '../base/errors.ts';
import { redact } from '../json/redact.ts';
import { reportInDevelopment } from '../base/report-in-development.ts';
import { lastOutput } from '../tools/tool-callbacks.ts';
import type { ToolContext, ToolEffect, ToolRules } from '../tools/tool-definition.ts';
import { approvedArguments, isRefusal } from './approve.ts';
import { callKey } from '../base/call-key.ts';
import { copyPlain } from '../json/copy-plain.ts';
import { toModelError } from '../tools/model-error.ts';
import { redactKeys } from '../messages/redact-keys.ts';
import { budgetExceeded } from './limits.ts';
import {
  createLoopGuard,
  type CheckedCall,
  type GuardedCall,
  type LoopGuard,
  type LoopVerdict,
} from './loop-guard.ts';
import { acquirePermit, type Permit } from './permit.ts';
import type { ApprovalVerdict } from './tool-approval.ts';
import { bindAgentContext } from './bind-agent-context.ts';
import type { AgentContext } from './run-context.ts';
import { toolErrorText } from '../tools/tool-error-text.ts';
import { timeLimit, untilAborted, untilSettled } from '../base/until-aborted.ts';

/** How a call's result becomes known to those that wait for the same. */
type End = { resolve: (output: unknown) => void; reject: (error: unknown) => void };

/** A tool as the guard sees it, whoever defined it. */
export type PipelineTool = {
  name: string;
  rules: ToolRules;
  inputSchema: FlexibleSchema;
  /** Whether it gives results one after the other. */
  streams: boolean;
  /**
   * Whether it takes one of the places of `concurrentToolCalls`. An agent does not, whose own calls need them, nor does
   * a call that waits for the page.
   */
  needsPermit: boolean;
  /** Whether it begins only when `run` says so, because the page runs it. */
  startsLater?: boolean;
  /** Whether a call has the time limit of `options.timeout.toolMs`, where the tool has none of its own. */
  limitedByDefault?: boolean;
  /** What is said where it took longer than `timeoutMs`. */
  timeoutMessage?: string;
  /** What a result becomes before the log and the model get it. */
  finish: (output: unknown) => unknown;
  /** `admit` is asked before each call that it makes inside its own; `begin` says that it begins to work now. */
  run: (args: unknown, context: ToolContext, requestPermit: RequestPermit, begin: () => void) => unknown;
};

/**
 * Counts a call, and asks the loop guard about it. Throws where it may not be made: what the model reads of it, or what
 * ends the run.
 */
export type RequestPermit = (call: GuardedCall, counted?: boolean) => CallPermit;

/** A call that may be made; `verdict` says whether it is to run, or to be answered with the result of one before. */
export type CallPermit = Omit<CheckedCall, 'verdict'> & {
  verdict: Extract<LoopVerdict, { kind: 'run' | 'repeat' }>;
};

/** What the AI SDK gives a tool; a call that is made again brings its key. */
export type CallContext = Omit<ToolContext, 'idempotencyKey'> & { idempotencyKey?: string };

/** Writes what happens to tool calls into the log. */
export type ToolCallRecorder = {
  /** Resolves once the call is in the log, or after a moment. */
  toolCalled(toolCallId: string): Promise<void> | undefined;
  /** A tool begins to run. */
  toolStarted(toolCallId: string, toolName: string, effect: ToolEffect | undefined): void;
  /** A tool has run for so many milliseconds. */
  toolTimed(toolCallId: string, ms: number): void;
  /** A call was answered with the result of the same call before. */
  toolRepeated(toolCallId: string): void;
  /** The number of the step that is under way; -1 before the first. */
  readonly step: number;
};

/** Everything that is promised about tool calls, around each of them. */
export type ToolCallPipeline = {
  /** One call, from the first check to its result. What it throws becomes a tool error that the model reads. */
  call(guarded: PipelineTool, given: unknown, context: CallContext): unknown;
  /** A call that cannot run, because there is no such tool or its arguments do not fit. It counts like any other. */
  invalid(toolName: string, input: unknown): void;
  /** What the model is to be told besides the result of a call. */
  noteOf(toolCallId: string): string | undefined;
  /** A new step begins, which is about the task of this id, if any: the same call for another task is no repetition. */
  beginStep(taskId: string | undefined): void;
};

export type ToolCallPipelineOptions = {
  agentContext: AgentContext;
  /** Where the calls themselves are written down. */
  recorder: ToolCallRecorder;
  /** Told of every call that begins to run. */
  onStart: (toolName: string) => void;
  /** How long a call of this tool may take, where the tool does not say so itself, in milliseconds. */
  toolMs: (toolName: string) => number;
  /** What `options.toolApproval` says of a call. */
  verdictOf: (toolCallId: string) => ApprovalVerdict | undefined;
  /** True where an identical call is a repetition whatever has happened since. */
  strictLoops: boolean;
};

/** Limits, the loop guard, approvals, places to run in, time limits, and errors without keys. */
export function createToolCallPipeline({
  agentContext,
  recorder,
  onStart,
  toolMs,
  verdictOf,
  strictLoops,
}: ToolCallPipelineOptions): ToolCallPipeline {
  const { runContext } = agentContext;
  let loops = createLoopGuard(strictLoops);
  let currentTask: string | undefined;
  const notes = new Map<string, string>();
  let callsInStep = 0;

  function call(guarded: PipelineTool, given: unknown, sdkContext: CallContext): unknown {
    const idempotencyKey =
      sdkContext.idempotencyKey ?? callKey(agentContext.callBase, recorder.step, sdkContext.toolCallId);
    const context: ToolContext = { ...sdkContext, idempotencyKey };
    const { name, rules, streams } = guarded;
    count();
    const { effect } = rules;
    const rule = runContext.loopRules.of(name, rules);
    const admission = requestPermit({ toolName: name, input: given, effect, rule }, loops.check);
    const { verdict, settled } = admission;
    const admitInside: RequestPermit = (inner, counted = false) => {
      if (!counted) count();
      return requestPermit(inner, admission.checkInside);
    };
    if (verdict.kind === 'repeat') {
      notes.set(context.toolCallId, verdict.note);
      recorder.toolRepeated(context.toolCallId);
      return verdict.output;
    }
    if (!streams) {
      const output = once(guarded, given, context, admitInside);
      // a refusal is an answer: who asks again gets the same one
      settled(output.catch((error: unknown) => (isRefusal(error) ? error.message : Promise.reject(error))));
      return output;
    }
    let end: End = { resolve: () => {}, reject: () => {} };
    settled(new Promise((resolve, reject) => (end = { resolve, reject })));
    // the AI SDK shows the outputs of an iterable as they come
    return each(guarded, given, context, admitInside, end);
  }

  /** Counts a call. @throws what ends the run, or what the model is told, where it is one too many */
  function count(): void {
    callsInStep += 1;
    const exceeded = runContext.budget.takeToolCall();
    if (exceeded !== undefined) fail(exceeded);
    const { toolCallsPerStep } = runContext.budget.limits;
    if (callsInStep > toolCallsPerStep) {
      throw toModelError(budgetExceeded('toolCallsPerStep', toolCallsPerStep).message);
    }
  }

  function requestPermit(inner: GuardedCall, check: LoopGuard['check']): CallPermit {
    const { verdict, ...checked } = check(inner);
    if (verdict.kind === 'end') return fail(verdict.error);
    if (verdict.kind === 'refuse') throw toModelError(verdict.reason);
    return { ...checked, verdict };
  }

  async function once(
    guarded: PipelineTool,
    given: unknown,
    context: ToolContext,
    admitInside: RequestPermit,
  ): Promise<unknown> {
    try {
      const place = await enter(guarded, given, context, admitInside);
      let work: Promise<unknown> | undefined;
      try {
        const begin = async (): Promise<unknown> => lastOutput(place.start());
        const output = await untilToolEnds((work = runContext.track(begin())), place.signal);
        return redactKeys(guarded.finish(output), runContext.secrets);
      } finally {
        place.leave(work);
      }
    } catch (error) {
      throw withoutSecrets(error);
    }
  }

  async function* each(
    guarded: PipelineTool,
    given: unknown,
    context: ToolContext,
    admitInside: RequestPermit,
    last: End,
  ): AsyncGenerator<unknown> {
    let output: unknown = null;
    try {
      const place = await enter(guarded, given, context, admitInside);
      let work: Promise<unknown> | undefined;
      try {
        const outputs = (place.start() as AsyncIterable<unknown>)[Symbol.asyncIterator]();
        try {
          for (;;) {
            const next = await untilToolEnds(runContext.track(outputs.next()), place.signal);
            if (next.done === true) break;
            yield (output = redactKeys(guarded.finish(next.value), runContext.secrets));
          }
        } finally {
          // not awaited: a generator that waits for ever gives no answer to this either
          work = outputs.return?.();
          if (work !== undefined) runContext.track(work).catch(() => {});
        }
      } finally {
        place.leave(work);
      }
    } catch (error) {
      const safe = withoutSecrets(error);
      last.reject(safe);
      throw safe;
    } finally {
      // also where whoever reads the outputs stops doing so
      last.resolve(output);
    }
  }

  /** Waits until a call may run: written down, approved, and with a place to run in. */
  async function enter(
    {
      name,
      rules,
      inputSchema,
      needsPermit,
      startsLater,
      limitedByDefault,
      timeoutMessage,
      run,
    }: PipelineTool,
    given: unknown,
    context: ToolContext,
    admitInside: RequestPermit,
  ): Promise<{
    start: () => unknown;
    signal: AbortSignal | undefined;
    /** The call is over; its function may still be at work. */
    leave: (work: Promise<unknown> | undefined) => void;
  }> {
    const { toolCallId } = context;
    // what a tool does comes after its call, also in the log
    await recorder.toolCalled(toolCallId);
    const { args, edited } = await approvedArguments(agentContext, {
      toolName: name,
      rules,
      inputSchema,
      args: given,
      context,
      verdict: verdictOf(toolCallId),
    });
    if (edited !== undefined) {
      const text = JSON.stringify(redactKeys(edited, runContext.secrets));
      notes.set(toolCallId, `The user ran it with other arguments: ${text}`);
    }
    const place = needsPermit ? await acquirePermit(runContext.semaphore, context.abortSignal) : undefined;
    const ms = rules.timeoutMs ?? (limitedByDefault === true ? toolMs(name) : undefined);
    const limit = ms === undefined ? undefined : timeLimit(name, ms, timeoutMessage);
    const signal = anySignal(context.abortSignal, limit?.signal);
    let startedAt = performance.now();
    const begin = (): void => {
      startedAt = performance.now();
      recorder.toolStarted(toolCallId, name, rules.effect);
    };
    if (startsLater !== true) {
      begin();
      if (rules.effect !== 'read') await stored(toolCallId, context.abortSignal);
      startedAt = performance.now();
    }
    // an agent inside the call has limits of its own, and may wait for a person
    const releaseOf =
      ({ releaseWhile }: Permit): Permit['releaseWhile'] =>
      (work) =>
        rules.timeoutMs !== undefined || limit === undefined
          ? releaseWhile(work)
          : limit.holdDuring(() => releaseWhile(work));
    return {
      start() {
        onStart(name);
        const own = signal === undefined ? context : { ...context, abortSignal: signal };
        const caller =
          place === undefined ? agentContext : { ...agentContext, releaseWhile: releaseOf(place) };
        return run(ownCopy(args), bindAgentContext(own, caller), admitInside, begin);
      },
      signal,
      leave(work) {
        void untilSettled(work, ms).then(() => place?.release());
        limit?.clear();
        recorder.toolTimed(toolCallId, Math.round((performance.now() - startedAt) * 100) / 100);
      },
    };
  }

  /** What is stored of a call that may change something says that it has begun before it does. */
  async function stored(toolCallId: string, signal: AbortSignal | undefined): Promise<void> {
    if (runContext.whenStored === undefined) return;
    await untilAborted(runContext.whenStored({ toolCallId, agent: agentContext.path }), signal);
  }

  /** What a tool writes into its arguments must not change the call that later requests repeat. */
  function ownCopy(args: unknown): unknown {
    try {
      return copyPlain(args);
    } catch {
      // nested too deep, or in a circle
      return args;
    }
  }

  function fail(error: CuelineError): never {
    runContext.fail(error);
    throw error;
  }

  /** The model is told what a tool throws: our own errors by their words alone, and no error by a key. */
  function withoutSecrets(error: unknown): unknown {
    const source = sourceOf(error, 'tool');
    if (CuelineError.isInstance(error))
      return toModelError(redact(capText(error.message), runContext.secrets), error, source);
    const text = redact(toolErrorText(error), runContext.secrets);
    return isReadAs(error, text) ? error : toModelError(text, error, source);
  }

  return {
    call,
    invalid(toolName, input) {
      callsInStep += 1;
      const exceeded = runContext.budget.takeToolCall();
      if (exceeded !== undefined) return runContext.fail(exceeded);
      // under a name that no tool has, since the same call is another once it can run; it gets nowhere, as one that reads
      const rule = runContext.loopRules.general;
      const { verdict } = loops.check({ toolName: `invalid ${toolName}`, input, effect: 'read', rule });
      if (verdict.kind !== 'end') return;
      const { calls } = verdict.error.details as { calls: number };
      runContext.fail(
        new CuelineError(
          'loop_detected',
          `The model called ${toolName} ${calls} times with the same arguments, although that call cannot run, so the run was ended. The call's error says why it cannot; say in the prompt which tools there are and what they take.`,
          { details: { toolName, calls } },
        ),
      );
    },
    noteOf: (toolCallId) => notes.get(toolCallId),
    beginStep(taskId) {
      // a tool of the new task may be another under the same name, and its window hides the results of the old one
      if (taskId !== currentTask) loops = createLoopGuard(strictLoops);
      currentTask = taskId;
      callsInStep = 0;
      notes.clear();
    },
  };
}

/** Whether the AI SDK tells the model exactly this text of an error. */
function isReadAs(error: unknown, text: string): boolean {
  try {
    return getErrorMessage(error) === text;
  } catch {
    return false;
  }
}

/** A tool that is ended may say so first, in its own words: what counts is why it was. */
async function untilToolEnds<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  try {
    return await untilAborted(work, signal);
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    // of an error that was written for people and models, the message is all
    if (!CuelineError.isInstance(error)) reportInDevelopment(error);
    throw error;
  }
}
