import { getErrorMessage } from '@ai-sdk/provider';
import { redact } from '../models/redact.ts';
import { lastOutput } from '../prompt/tool-callbacks.ts';
import type { SubCaller } from '../prompt/tool-definition.ts';
import { capOutput } from './cap-output.ts';
import { toJson } from './to-json.ts';
import type { Speaker } from './tree.ts';
import { timeLimit, untilAborted } from './until-aborted.ts';

/**
 * Makes the calls inside a composite tool's call one by one: each is written down, counted, limited in time, and fails
 * by itself. The first is the composite tool's own call, which has been counted.
 */
export function makeSubCalls({ tree, sink }: Speaker, toolCallId: string): SubCaller {
  let made = 0;

  return async ({ name, input, timeoutMs, run }, context) => {
    context.abortSignal?.throwIfAborted();
    const index = made++;
    const exceeded = index === 0 ? undefined : tree.budget.takeToolCall();
    if (exceeded !== undefined) {
      tree.fail(exceeded);
      throw exceeded;
    }
    const startedAt = performance.now();
    const end = (outcome: { output: unknown } | { error: string }): void => {
      const ms = Math.round((performance.now() - startedAt) * 100) / 100;
      sink.append({ type: 'sub-call-end', toolCallId, index, ...outcome, ms });
    };
    sink.append({ type: 'sub-call-start', toolCallId, index, name, input: toJson(input, tree.secrets) });
    const limit = timeoutMs === undefined ? undefined : timeLimit(name, timeoutMs);
    const signals = [context.abortSignal, limit?.signal].filter((signal) => signal !== undefined);
    const signal = signals.length > 1 ? AbortSignal.any(signals) : signals[0];
    try {
      const result = lastOutput(run(signal === undefined ? context : { ...context, abortSignal: signal }));
      const output = capOutput(await untilAborted(result, signal), name);
      end({ output: toJson(output, tree.secrets) });
      return output;
    } catch (error) {
      // a run that was stopped is no failure of this one call
      if (context.abortSignal?.aborted === true) throw error;
      const message = redact(messageOf(error), tree.secrets);
      end({ error: message });
      return { error: message };
    } finally {
      limit?.clear();
    }
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : getErrorMessage(error);
}
