import { getErrorMessage } from '@ai-sdk/provider';
import { anySignal } from '../base/any-signal.ts';
import { callKey } from '../base/call-key.ts';
import { capText } from '../base/cap-text.ts';
import { sourceOf } from '../base/error-source.ts';
import { CuelineError } from '../base/errors.ts';
import { reportInDevelopment } from '../base/report-in-development.ts';
import { timeLimit, untilAborted, untilSettled } from '../base/until-aborted.ts';
import { copyPlain } from '../json/copy-plain.ts';
import { redact } from '../json/redact.ts';
import { redactKeys } from '../messages/redact-keys.ts';
import { editNote } from '../messages/tool-output.ts';
import { toModelError } from '../tools/model-error.ts';
import { isForeignSuspension } from '../tools/suspend.ts';
import { lastOutput } from '../tools/tool-callbacks.ts';
import { toolErrorText } from '../tools/tool-error-text.ts';
import type { ToolContext, ToolRules } from '../tools/tool-types.ts';
import { approvedArguments, isRefusedApproval } from './approve.ts';
import { budgetExceededError } from './limits.ts';
import { createLoopGuard, type LoopCall, type LoopGuard } from './loop-guard.ts';
import type { LoopRules } from './loop-rules.ts';
import type { CallContext, AllowedCall, PipelineTool, CheckCall, ToolCallRecorder } from './pipeline-tool.ts';
import { bindAgentContext, type AgentContext } from './run-context.ts';
import { acquirePermit } from './semaphore.ts';
import type { ApprovalVerdict } from './tool-approval.ts';

/** Passes the result of a call to identical calls that wait for it. */
type End = { resolve: (output: unknown) => void; reject: (error: unknown) => void };

/** A call that the limits and the loop guard allow to run. */
type CheckedCall = {
  tool: PipelineTool;
  input: unknown;
  context: ToolContext;
  /** Checks a call inside this one against the limits and the loop guard. */
  checkInside: CheckCall;
};

/** A call that is approved and has its permit. */
type PreparedCall = {
  /** Aborts when the call must end: because the run is stopped, or because the time is up. */
  signal: AbortSignal | undefined;
  /** Logs that the call starts, and waits until that is stored, before the call may change something. */
  begin: () => Promise<void>;
  /** Calls the tool's function. */
  run: () => unknown;
  /** Ends the call. `work` settles when its function has really ended. */
  end: (work: Promise<unknown> | undefined) => void;
};

/** A call that an earlier process of the run has made. Without an output, it failed; a refused call has its refusal. */
export type RememberedCall = Pick<LoopCall, 'toolName' | 'input' | 'effect'> & {
  rules: ToolRules;
  isInvalid: boolean;
  output?: unknown;
};

/** Everything that holds for every tool call. */
export type ToolCallPipeline = {
  /**
   * Makes one call, from the first check to its result. Whatever it throws becomes a tool error that the model reads.
   */
  call(tool: PipelineTool, input: unknown, context: CallContext): unknown;
  /** Counts a call that cannot run, because the tool does not exist or its arguments do not fit. */
  invalid(toolName: string, input: unknown): void;
  /** Returns the note that the model reads beside the result of a call. */
  noteOf(toolCallId: string): string | undefined;
  /** Counts a call that an earlier process of the run has made, for the loop guard. */
  remember(call: RememberedCall): Promise<void>;
  /**
   * Starts a new step. `taskId` is the current task, if any: the same call for another task is not a repetition, and
   * neither is a call whose earlier result the model can no longer read (`forgets`).
   */
  beginStep(taskId: string | undefined, forgets?: boolean): void;
};

export type ToolCallPipelineOptions = {
  agentContext: AgentContext;
  /** Logs the calls. */
  recorder: ToolCallRecorder;
  /** Called with every call that starts to run. */
  onStart: (toolName: string) => void;
  /** Returns the time limit of a tool that sets none, in milliseconds. */
  toolMs: (toolName: string) => number;
  /** What `options.toolApproval` says of a call. */
  verdictOf: (toolName: string, toolCallId: string) => ApprovalVerdict | undefined;
  /** True if identical calls count as repetitions whatever happens in between. */
  strictLoops: boolean;
};

/** Creates the pipeline: limits, loop guard, approvals, permits, time limits, and errors without keys. */
export function createToolCallPipeline(options: ToolCallPipelineOptions): ToolCallPipeline {
  return new Pipeline(options);
}

/** What surrounds each tool call of one run or agent, in order. */
class Pipeline implements ToolCallPipeline {
  readonly #options: ToolCallPipelineOptions;
  readonly #agentContext;
  readonly #recorder;
  readonly #runContext;
  #loops;
  #currentTask: string | undefined;
  readonly #notes = new Map<string, string>();
  #callsInStep = 0;

  constructor(options: ToolCallPipelineOptions) {
    this.#options = options;
    this.#agentContext = options.agentContext;
    this.#recorder = options.recorder;
    this.#runContext = options.agentContext.runContext;
    this.#loops = createLoopGuard(options.strictLoops);
  }

  call(tool: PipelineTool, input: unknown, sdkContext: CallContext): unknown {
    const idempotencyKey =
      sdkContext.idempotencyKey ??
      callKey(this.#agentContext.callBase, this.#recorder.step, sdkContext.toolCallId);
    const context: ToolContext = { ...sdkContext, idempotencyKey };
    const { name, rules, streams } = tool;
    this.#count();
    const { effect } = rules;
    const rule = this.#runContext.loopRules.of(name, rules);
    const allowed = this.#checkLoop({ toolName: name, input, effect, rule }, this.#loops.check);
    const { verdict, settled } = allowed;
    const checkInside: CheckCall = (inner, counted = false) => {
      if (!counted) this.#count();
      return this.#checkLoop(inner, allowed.checkInside);
    };
    if (verdict.kind === 'repeat') {
      this.#notes.set(context.toolCallId, verdict.note);
      this.#recorder.toolRepeated(context.toolCallId);
      return verdict.output;
    }
    const call: CheckedCall = { tool, input, context, checkInside };
    if (!streams) {
      const output = this.#once(call);
      // a refusal is an answer: an identical call gets the same one
      settled(
        output.catch((error: unknown) => (isRefusedApproval(error) ? error.message : Promise.reject(error))),
      );
      return output;
    }
    let end: End = { resolve: () => {}, reject: () => {} };
    settled(new Promise((resolve, reject) => (end = { resolve, reject })));
    // the AI SDK shows the outputs of an iterable as they come
    return this.#each(call, end);
  }

  invalid(toolName: string, input: unknown): void {
    this.#callsInStep += 1;
    const exceeded = this.#runContext.budget.takeToolCall();
    if (exceeded !== undefined) return this.#runContext.fail(exceeded);
    const { general } = this.#runContext.loopRules;
    const { verdict } = this.#loops.check(invalidCall(toolName, input, general));
    if (verdict.kind !== 'end') return;
    const { calls } = verdict.error.details as { calls: number };
    this.#runContext.fail(
      new CuelineError(
        'loop_detected',
        `The model called ${toolName} ${calls} times with the same arguments, although that call cannot run, so the run was ended. The call's error says why it cannot; say in the prompt which tools there are and what they take.`,
        { details: { toolName, calls } },
      ),
    );
  }

  async remember({ toolName, input, effect, rules, isInvalid, ...result }: RememberedCall): Promise<void> {
    const { loopRules } = this.#runContext;
    const { settled } = this.#loops.check(
      isInvalid
        ? invalidCall(toolName, input, loopRules.general)
        : { toolName, input, effect, rule: loopRules.of(toolName, rules) },
    );
    if (isInvalid) return;
    const output = 'output' in result ? Promise.resolve(result.output) : Promise.reject(new Error('failed'));
    output.catch(() => {});
    settled(output);
    // the guard sees the result before the next call
    await output.then(noop, noop);
    await Promise.resolve();
  }

  noteOf(toolCallId: string): string | undefined {
    return this.#notes.get(toolCallId);
  }

  beginStep(taskId: string | undefined, forgets = false): void {
    // the new task may have a different tool of the same name, and its window hides the results of the old one
    if (forgets || taskId !== this.#currentTask) this.#loops = createLoopGuard(this.#options.strictLoops);
    this.#currentTask = taskId;
    this.#callsInStep = 0;
    this.#notes.clear();
  }

  /** Counts a call. If it exceeds a limit, throws the error that ends the run, or the one that the model reads. */
  #count(): void {
    this.#callsInStep += 1;
    const exceeded = this.#runContext.budget.takeToolCall();
    if (exceeded !== undefined) this.#fail(exceeded);
    const { toolCallsPerStep } = this.#runContext.budget.limits;
    if (this.#callsInStep > toolCallsPerStep) {
      throw toModelError(budgetExceededError('toolCallsPerStep', toolCallsPerStep).message);
    }
  }

  #checkLoop(inner: LoopCall, check: LoopGuard['check']): AllowedCall {
    const { verdict, ...checked } = check(inner);
    if (verdict.kind === 'end') return this.#fail(verdict.error);
    if (verdict.kind === 'refuse') throw toModelError(verdict.reason);
    return { ...checked, verdict };
  }

  async #once(call: CheckedCall): Promise<unknown> {
    try {
      const prepared = await this.#prepare(call);
      let work: Promise<unknown> | undefined;
      try {
        await prepared.begin();
        const result = async (): Promise<unknown> => lastOutput(prepared.run(), prepared.signal);
        const output = await untilToolEnds((work = this.#runContext.track(result())), prepared.signal);
        return this.#finished(call, output);
      } finally {
        prepared.end(work);
      }
    } catch (error) {
      throw this.#withoutSecrets(error);
    }
  }

  async *#each(call: CheckedCall, last: End): AsyncGenerator<unknown> {
    let output: unknown = null;
    try {
      const prepared = await this.#prepare(call);
      let work: Promise<unknown> | undefined;
      try {
        await prepared.begin();
        const outputs = (prepared.run() as AsyncIterable<unknown>)[Symbol.asyncIterator]();
        try {
          for (;;) {
            const next = await untilToolEnds(this.#runContext.track(outputs.next()), prepared.signal);
            if (next.done === true) break;
            yield (output = this.#finished(call, next.value));
          }
        } finally {
          // not awaited, because a generator that waits forever does not answer this either
          work = outputs.return?.();
          if (work !== undefined) this.#runContext.track(work).catch(() => {});
        }
      } finally {
        prepared.end(work);
      }
    } catch (error) {
      const safe = this.#withoutSecrets(error);
      // as above, a refusal is an answer
      if (isRefusedApproval(safe)) last.resolve(safe.message);
      else last.reject(safe);
      throw safe;
    } finally {
      // also if the reader of the outputs stops reading
      last.resolve(output);
    }
  }

  /** Returns an output for the log and the model. */
  #finished({ tool }: CheckedCall, output: unknown): unknown {
    // as text, so that neither a session nor the reader of a log takes it for a suspension
    const data = isForeignSuspension(output) ? JSON.stringify(output) : output;
    return redactKeys(tool.finish(data), this.#runContext.secrets);
  }

  /** Waits until a call may start: in the log, approved, and with a permit. Its time begins to run. */
  async #prepare(call: CheckedCall): Promise<PreparedCall> {
    const { tool, context, checkInside } = call;
    const { name, rules } = tool;
    const { toolCallId, abortSignal } = context;
    // waits for the log, so that the tool's events come after its call
    const called = this.#recorder.toolCalled(toolCallId);
    if (called !== undefined) await untilAborted(called, abortSignal);
    const args = await this.#approvedArguments(call);
    const permit = tool.needsPermit
      ? await acquirePermit(this.#runContext.semaphore, abortSignal)
      : undefined;
    const ms = rules.timeoutMs ?? (tool.limitedByDefault === true ? this.#options.toolMs(name) : undefined);
    const limit = ms === undefined ? undefined : timeLimit(name, ms, tool.timeoutMessage);
    const signal = anySignal(abortSignal, limit?.signal);
    let startedAt = performance.now();
    const started = (): void => {
      startedAt = performance.now();
      this.#recorder.toolStarted(toolCallId, name, rules);
    };
    /** The context of an agent inside the call, which needs no permit and no time of the call while it works. */
    const inside = (): AgentContext => {
      if (permit === undefined) return this.#agentContext;
      const { releaseWhile } = permit;
      if (rules.timeoutMs !== undefined || limit === undefined)
        return { ...this.#agentContext, releaseWhile };
      return { ...this.#agentContext, releaseWhile: (work) => limit.holdDuring(() => releaseWhile(work)) };
    };
    return {
      signal,
      begin: async () => {
        // a page reports by itself when it starts the call
        if (tool.startsLater === true) return;
        started();
        const mustBeStored = rules.effect !== 'read' || this.#runContext.durable !== undefined;
        const stored = mustBeStored
          ? this.#runContext.whenStored?.({ toolCallId, agent: this.#agentContext.path })
          : undefined;
        if (stored !== undefined) await untilAborted(stored, abortSignal);
        // its time may be up, or the run over
        signal?.throwIfAborted();
        startedAt = performance.now();
      },
      run: () => {
        this.#options.onStart(name);
        const own = signal === undefined ? context : { ...context, abortSignal: signal };
        return tool.run(ownCopy(args), bindAgentContext(own, inside()), checkInside, started);
      },
      end: (work) => {
        void untilSettled(work, ms).then(() => permit?.release());
        limit?.clear();
        this.#recorder.toolTimed(toolCallId, Math.round((performance.now() - startedAt) * 100) / 100);
      },
    };
  }

  /** Returns the arguments of a call once it is approved, and notes if the user has edited them. */
  async #approvedArguments({ tool, input, context }: CheckedCall): Promise<unknown> {
    const { name: toolName, rules, inputSchema } = tool;
    const verdict = this.#options.verdictOf(toolName, context.toolCallId);
    const call = { toolName, rules, inputSchema, args: input, context, verdict };
    const { args, edited } = await approvedArguments(this.#agentContext, call);
    if (edited !== undefined)
      this.#notes.set(context.toolCallId, editNote(redactKeys(edited, this.#runContext.secrets)));
    return args;
  }

  #fail(error: CuelineError): never {
    this.#runContext.fail(error);
    throw error;
  }

  /** Returns an error for the model: the message alone of our own errors, and never a key. */
  #withoutSecrets(error: unknown): unknown {
    const source = sourceOf(error, 'tool');
    if (CuelineError.isInstance(error))
      return toModelError(redact(capText(error.message), this.#runContext.secrets), error, source);
    const text = redact(toolErrorText(error), this.#runContext.secrets);
    return isReadAs(error, text) ? error : toModelError(text, error, source);
  }
}

/**
 * Returns a call that cannot run, for the loop guard: under a name that no tool has, because the same call is a
 * different one once it can run, and as a read, which is no progress.
 */
function invalidCall(toolName: string, input: unknown, rule: LoopRules['general']): LoopCall {
  return { toolName: `invalid ${toolName}`, input, effect: 'read', rule };
}

/** Returns a copy, because what a tool writes into its arguments must not change the call in later requests. */
function ownCopy(args: unknown): unknown {
  try {
    return copyPlain(args);
  } catch {
    // nested too deep, or circular
    return args;
  }
}

function noop(): void {}

/** True if the AI SDK sends exactly this error text to the model. */
function isReadAs(error: unknown, text: string): boolean {
  try {
    return getErrorMessage(error) === text;
  } catch {
    return false;
  }
}

/**
 * Waits for a tool that is being aborted, so that it can fail first. The reason of the abort counts, not the tool's
 * own error.
 */
async function untilToolEnds<Value>(work: Promise<Value>, signal: AbortSignal | undefined): Promise<Value> {
  try {
    return await untilAborted(work, signal);
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason;
    // an error that was written for people and models needs no name before its message
    if (!CuelineError.isInstance(error)) reportInDevelopment(error);
    throw error;
  }
}
