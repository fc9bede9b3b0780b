import type { RunEvent } from '@cueline/core';
import { countOf, type Charge } from '../../limits/charge.ts';
import { costOf, priceOf, type Prices } from '../../limits/prices.ts';
import { addUsage, wholeOutput, type ModelUsage } from '../usage/model-usage.ts';

/**
 * Reads what the model calls of a run have used, event by event: those with a whole answer, including those of
 * agents.
 */
export type LogUsage = {
  add(events: readonly RunEvent[]): void;
  total(): { tokens: number; cost: number; usage: readonly ModelUsage[] };
};

/** Creates a reader of the usage that a log has. */
export function createLogUsage(prices: Prices): LogUsage {
  /** The model of each agent's last step, by the agent's path. */
  const models = new Map<string, string>();
  const used = new Map<string, ModelUsage>();
  const calls = createCallReader();
  return {
    add(events) {
      for (const event of events) {
        const path = event.agent ?? '';
        if (event.type === 'step-start' && event.request.model !== undefined) {
          models.set(path, event.request.model);
        }
        const reported = calls.usageOf(event);
        if (reported === undefined) continue;
        const model = models.get(path) ?? '';
        const charge = chargeOf(reported);
        const colon = model.indexOf(':');
        const price = priceOf(prices, model.slice(0, Math.max(colon, 0)), model.slice(colon + 1));
        addUsage(used, model, charge, price === undefined ? undefined : costOf(price, charge));
      }
    },
    total() {
      const usage = [...used.values()];
      return {
        tokens: usage.reduce((sum, { inputTokens, outputTokens }) => sum + inputTokens + outputTokens, 0),
        cost: usage.reduce((sum, { cost = 0 }) => sum + cost, 0),
        usage,
      };
    },
  };
}

/** Returns the tokens that the whole answers of a log have used. */
export function tokensOf(events: readonly RunEvent[]): number {
  const calls = createCallReader();
  return events.reduce((sum, event) => {
    const usage = calls.usageOf(event);
    if (usage === undefined) return sum;
    const { input, output } = chargeOf(usage);
    return sum + Math.max(usage.totalTokens ?? 0, input + output);
  }, 0);
}

/** Finds the end of each model call: an event of its own before tools run, otherwise the end of the step. */
function createCallReader(): { usageOf(event: RunEvent): Usage | undefined } {
  /** The paths of the agents whose step has its answer. */
  const answered = new Set<string>();
  return {
    usageOf(event) {
      const path = event.agent ?? '';
      if (event.type === 'step-start') answered.delete(path);
      if (event.type === 'step-end') return answered.has(path) ? undefined : event.usage;
      if (event.type !== 'model-call-end') return undefined;
      answered.add(path);
      return event.usage;
    },
  };
}

type Usage = Extract<RunEvent, { type: 'model-call-end' }>['usage'];

/** Counts that the provider has not reported are 0. */
function chargeOf({ inputTokens, outputTokens, inputTokenDetails, outputTokenDetails }: Usage): Charge {
  const input = countOf(inputTokens) ?? 0;
  const cachedInput = Math.min(countOf(inputTokenDetails?.cacheReadTokens) ?? 0, input);
  const cacheWrite = Math.min(countOf(inputTokenDetails?.cacheWriteTokens) ?? 0, input - cachedInput);
  const output = wholeOutput(outputTokens, outputTokenDetails?.reasoningTokens) ?? 0;
  return { input, output, cachedInput, cacheWrite, isInputReported: true, basis: 'reported' };
}
