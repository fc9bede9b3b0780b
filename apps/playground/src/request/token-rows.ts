import type { CompiledRequest } from '@cueline/core';
import { estimateTokens } from '@cueline/core/inspect';
import { instructionPartsOf } from './instruction-segments.ts';

/** The estimated tokens of one definition, or of all messages together. */
export type TokenRow = {
  kind: 'variable' | 'system' | 'instructions' | 'message' | 'tool' | 'output' | 'others';
  /** The definition's name; empty for rows that are not definitions. */
  name: string;
  /** How many parts of the request the row stands for. */
  count: number;
  tokens: number;
};

type Estimate = { total: number; rows: readonly TokenRow[] };

/** A table has at most this many rows; the smallest definitions share one. */
const MAX_ROWS = 40;

const estimates = new WeakMap<CompiledRequest, Estimate | undefined>();

/**
 * The estimated tokens of a request by definition, in the order in which they are sent. Undefined for a request of an
 * imported log whose messages cannot be counted.
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
        rows.push({ kind, name: kind === 'instructions' || kind === 'output' ? '' : name, count: 1, tokens });
        continue;
      }
      if (ofMessages === undefined) rows.push((ofMessages = { kind, name: '', count: 0, tokens: 0 }));
      ofMessages.count += 1;
      ofMessages.tokens += tokens;
    }
    return { total: estimate.total, rows: atMost(rows, MAX_ROWS) };
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
