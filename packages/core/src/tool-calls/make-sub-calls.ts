import { anySignal } from '../base/any-signal.ts';
import { capText } from '../base/cap-text.ts';
import { isError, sourceOf } from '../base/error-source.ts';
import { CuelineError, thrownMessage, type ErrorSource } from '../base/errors.ts';
import { timeLimit, untilAborted } from '../base/until-aborted.ts';
import { redact } from '../json/redact.ts';
import { toJson } from '../messages/to-json.ts';
import { capOutput } from '../tools/cap-output.ts';
import { lastOutput } from '../tools/tool-callbacks.ts';
import { toolErrorText } from '../tools/tool-error-text.ts';
import type { SubCaller, ToolContext, ToolRules } from '../tools/tool-types.ts';
import type { AllowedCall, CheckCall } from './pipeline-tool.ts';
import { agentContextOf, bindAgentContext, type AgentContext } from './run-context.ts';

/** The call of a composite tool, inside which other calls are made. */
export type OuterCall = {
  name: string;
  rules: ToolRules;
  context: ToolContext;
  checkCall: CheckCall;
  /** Returns the time limit of a call whose tool sets none, in milliseconds. */
  toolMs: (toolName: string) => number;
};

/**
 * Makes the calls inside a composite tool's call one by one. Each is logged, counted, checked by the loop guard
 * and limited in time, and fails by itself. The first is the composite tool's own call, which is counted
 * already.
 */
export function makeSubCalls(agentContext: AgentContext, outer: OuterCall): SubCaller {
  const { runContext, sink } = agentContext;
  const { toolCallId } = outer.context;
  const caller = agentContextOf(outer.context) ?? agentContext;
  let made = 0;

  return async ({ name, input, timeoutMs, effect, repeatable, loopGuard, run }, context) => {
    context.abortSignal?.throwIfAborted();
    const index = made++;
    const toolName = `${outer.name}.${name}`;
    const rule = runContext.loopRules.of(toolName, {
      repeatable: repeatable ?? outer.rules.repeatable,
      loopGuard: loopGuard ?? outer.rules.loopGuard,
    });
    const allowed = allowedOrRefused(() => outer.checkCall({ toolName, input, effect, rule }, index === 0));
    const startedAt = performance.now();
    const end = (
      outcome: { output: unknown; repeated?: true } | { error: string; source: ErrorSource },
    ): void => {
      const ms = Math.round((performance.now() - startedAt) * 100) / 100;
      sink.append({ type: 'sub-call-end', toolCallId, index, ...outcome, ms });
    };
    sink.append({
      type: 'sub-call-start',
      toolCallId,
      index,
      name,
      input: toJson(input, runContext.secrets),
    });
    const limit = timeLimit(name, timeoutMs ?? outer.toolMs(name));
    const signal = anySignal(context.abortSignal, limit.signal);
    const { releaseWhile } = caller;
    // an agent inside the call has its own limits, and may wait for an approval
    const limitedCaller: AgentContext =
      timeoutMs !== undefined || releaseWhile === undefined
        ? caller
        : { ...caller, releaseWhile: (work) => limit.holdDuring(() => releaseWhile(work)) };
    const make = async (): Promise<unknown> => {
      const idempotencyKey = `${context.idempotencyKey}/${index}`;
      const own = { ...context, idempotencyKey, ...(signal === undefined ? {} : { abortSignal: signal }) };
      const result = runContext.track(lastOutput(run(bindAgentContext(own, limitedCaller)), signal));
      return capOutput(await untilAborted(result, signal), name);
    };
    /** Waits for the result of the same call, which may need this call's permit to end. */
    const repeated = (output: Promise<unknown>): Promise<unknown> => {
      const wait = (): Promise<unknown> => untilAborted(output, signal);
      return limitedCaller.releaseWhile === undefined ? wait() : limitedCaller.releaseWhile(wait);
    };
    try {
      if ('refused' in allowed) throw allowed.refused;
      const { verdict, settled } = allowed;
      const result = verdict.kind === 'repeat' ? repeated(verdict.output) : make();
      settled(result);
      const output = await result;
      const isRepeat = verdict.kind === 'repeat';
      end({ output: toJson(output, runContext.secrets), ...(isRepeat ? { repeated: true } : {}) });
      return { result: output, ...(isRepeat ? { note: verdict.note } : {}) };
    } catch (error) {
      // a stopped run is not a failure of this one call
      if (context.abortSignal?.aborted === true) throw error;
      const message = redact(errorMessage(error), runContext.secrets);
      end({ error: message, source: sourceOf(error, 'tool') });
      return { result: { error: message } };
    } finally {
      limit.clear();
    }
  };
}

/** Returns the allowed call, or the reason for a refusal. Throws what ends the whole run. */
function allowedOrRefused(checkCall: () => AllowedCall): AllowedCall | { refused: unknown } {
  try {
    return checkCall();
  } catch (refused) {
    if (CuelineError.isInstance(refused)) throw refused;
    return { refused };
  }
}

/** Returns the message without the error's name, because the model reads it as a field of the result. */
function errorMessage(error: unknown): string {
  return isError(error) ? capText(thrownMessage(error)) : toolErrorText(error);
}
