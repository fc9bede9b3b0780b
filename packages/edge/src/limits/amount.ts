import type { Amount } from './limit-store.ts';

export const zeroAmount: Amount = { tokens: 0, cost: 0 };

export function addAmounts(one: Amount, other: Amount): Amount {
  return { tokens: one.tokens + other.tokens, cost: one.cost + other.cost };
}

export function subtract(one: Amount, other: Amount): Amount {
  return { tokens: one.tokens - other.tokens, cost: one.cost - other.cost };
}

/** True for a finite number of at least 0. */
export function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value < Infinity;
}
