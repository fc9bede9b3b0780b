import type { CompiledRequest, RequestChange, RunEvent } from './events.ts';
import type { RunFacts } from './state.ts';

/** A step's whole request, from the one before and what has changed since. */
export function applyChange(before: CompiledRequest | undefined, change: RequestChange): CompiledRequest {
  const { keep, messages, ...changed } = change;
  const base = before ?? { model: '', instructions: '', messages: [], tools: [], settings: {} };
  return { ...base, ...changed, messages: [...base.messages.slice(0, keep), ...messages] };
}

/** The tokens of a run with those of one more step. */
export function addUsage(
  sum: RunFacts['usage'],
  usage: Extract<RunEvent, { type: 'step-end' }>['usage'],
): RunFacts['usage'] {
  const inputTokens = sum.inputTokens + count(usage.inputTokens);
  const outputTokens = sum.outputTokens + count(usage.outputTokens);
  return {
    inputTokens,
    outputTokens,
    totalTokens:
      sum.totalTokens + (count(usage.totalTokens) || count(usage.inputTokens) + count(usage.outputTokens)),
  };
}

/** Providers send missing, negative and absurd counts; those count as nothing. */
function count(tokens: number | undefined): number {
  return tokens !== undefined && Number.isSafeInteger(tokens) && tokens > 0 ? tokens : 0;
}
