import type { CompiledRequest, StepState } from '@cueline/core';
import { estimateTokens } from '@cueline/core/inspect';
import { instructionPartsOf } from './instruction-segments.ts';

/** The estimated tokens of one definition, or of all messages together. */
export type TokenRow = {
  kind: 'variable' | 'system' | 'instructions' | 'message' | 'tool' | 'others';
  /** The definition's name; empty for rows that are no definition. */
  name: string;
  /** How many parts of the request the row stands for. */
  count: number;
  tokens: number;
};

type Estimate = { total: number; rows: readonly TokenRow[] };

/** A table has at most this many rows; the smallest definitions share one. */
const MOST_ROWS = 40;

const estimates = new WeakMap<CompiledRequest, Estimate | undefined>();

/**
 * The estimated tokens of a request by definition, in the order in which they are sent. Undefined for a request of
 * a foreign log whose messages have no form that can be counted.
 */
export function estimateRequest(request: CompiledRequest): Estimate | undefined {
  if (!estimates.has(request)) estimates.set(request, tryToEstimate(request));
  return estimates.get(request);
}

function tryToEstimate(request: CompiledRequest): Estimate | undefined {
  try {
    const { model, instructions, messages, tools, settings } = request;
    const instructionParts = instructionPartsOf(request);
    const estimate = estimateTokens({ model, instructions, instructionParts, messages, tools, settings });
    const rows: TokenRow[] = [];
    let ofMessages: TokenRow | undefined;
    for (const { kind, name, tokens } of estimate.parts) {
      if (kind !== 'message') {
        rows.push({ kind, name: kind === 'instructions' ? '' : name, count: 1, tokens });
        continue;
      }
      if (ofMessages === undefined) rows.push((ofMessages = { kind, name: '', count: 0, tokens: 0 }));
      ofMessages.count += 1;
      ofMessages.tokens += tokens;
    }
    return { total: estimate.total, rows: atMost(rows, MOST_ROWS) };
  } catch {
    return undefined;
  }
}

/** The largest rows in their order, and one for all others. */
function atMost(rows: TokenRow[], most: number): TokenRow[] {
  if (rows.length <= most) return rows;
  const bySize = rows.toSorted((one, other) => other.tokens - one.tokens);
  const kept = new Set(bySize.slice(0, most - 1));
  const others = bySize.slice(most - 1);
  const tokens = others.reduce((sum, row) => sum + row.tokens, 0);
  return [...rows.filter((row) => kept.has(row)), { kind: 'others', name: '', count: others.length, tokens }];
}

/** The tokens that a provider has counted, as far as it has. */
export type StepUsage = {
  input: number | undefined;
  cached: number | undefined;
  output: number | undefined;
  reasoning: number | undefined;
};

/** A step's usage. Counts of a foreign log that are not counts are left out. */
export function readUsage({ usage }: Pick<StepState, 'usage'>): StepUsage {
  const { inputTokens, inputTokenDetails, outputTokens, outputTokenDetails } = usage ?? {};
  return {
    input: readCount(inputTokens),
    cached: readCount(inputTokenDetails?.cacheReadTokens),
    output: readCount(outputTokens),
    reasoning: readCount(outputTokenDetails?.reasoningTokens),
  };
}

function readCount(count: unknown): number | undefined {
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : undefined;
}
