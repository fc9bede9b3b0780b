import { redact } from '../models/redact.ts';
import type { SubCallListener } from '../prompt/tool-definition.ts';
import { toJson } from './to-json.ts';
import type { Speaker } from './tree.ts';

/** Writes down what a composite tool does, call by call, and counts it. The first call is the composite tool's own. */
export function recordSubCalls({ tree, sink }: Speaker, toolCallId: string): SubCallListener {
  const startedAt = new Map<number, number>();
  return {
    started(index, name, input) {
      const exceeded = index === 0 ? undefined : tree.budget.takeToolCall();
      if (exceeded !== undefined) {
        tree.fail(exceeded);
        throw exceeded;
      }
      startedAt.set(index, performance.now());
      sink.append({ type: 'sub-call-start', toolCallId, index, name, input: toJson(input, tree.secrets) });
    },
    ended(index, outcome) {
      const ms = Math.round((performance.now() - (startedAt.get(index) ?? 0)) * 100) / 100;
      sink.append({
        type: 'sub-call-end',
        toolCallId,
        index,
        ...('error' in outcome
          ? { error: redact(outcome.error, tree.secrets) }
          : { output: toJson(outcome.output, tree.secrets) }),
        ms,
      });
    },
  };
}
