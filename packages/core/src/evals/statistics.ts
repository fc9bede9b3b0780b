/** An interval of a rate, both ends between 0 and 1. */
export type Interval = { readonly low: number; readonly high: number };

/** The 97.5 % quantile of the normal distribution, for intervals of 95 %. */
const Z = 1.959_963_984_540_054;

/**
 * Returns the interval that contains the true pass rate with 95 % confidence (E. B. Wilson, 1927). Unlike the simple
 * one it holds for few runs, and for rates near 0 and 1. From 0 to 1 if there are no runs.
 */
export function wilsonInterval(passed: number, runs: number): Interval {
  if (runs === 0) return { low: 0, high: 1 };
  const rate = passed / runs;
  const square = (Z * Z) / runs;
  const center = rate + square / 2;
  const spread = Z * Math.sqrt((rate * (1 - rate)) / runs + square / (4 * runs));
  return {
    low: passed === 0 ? 0 : Math.max(0, (center - spread) / (1 + square)),
    high: passed === runs ? 1 : Math.min(1, (center + spread) / (1 + square)),
  };
}

/** Returns the value below which `share` (0 to 1) of the values lie, by nearest rank; 0 for none. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

/** How many of some runs passed. */
export type PassCount = { readonly passed: number; readonly runs: number };

/**
 * Returns the probability of a pass count as low as `now`, or lower, if nothing has changed since `before` (Fisher's
 * exact test, one-sided). A small value means that the pass rate has dropped.
 */
export function dropProbability(before: PassCount, now: PassCount): number {
  const passed = before.passed + now.passed;
  const runs = before.runs + now.runs;
  const all = logChoose(runs, now.runs);
  let probability = 0;
  const least = Math.max(0, now.runs - (runs - passed));
  for (let count = least; count <= now.passed; count++) {
    probability += Math.exp(logChoose(passed, count) + logChoose(runs - passed, now.runs - count) - all);
  }
  return Math.min(1, probability);
}

/** Returns the logarithm of the number of ways to choose `chosen` of `all`. */
function logChoose(all: number, chosen: number): number {
  return logFactorial(all) - logFactorial(chosen) - logFactorial(all - chosen);
}

const logFactorials: number[] = [0];

function logFactorial(of: number): number {
  for (let next = logFactorials.length; next <= of; next++) {
    logFactorials.push(logFactorials[next - 1]! + Math.log(next));
  }
  return logFactorials[of]!;
}

/** Returns how far two lists of marks agree beyond chance, up to 1 (Cohen's kappa); 1 for equal lists. */
export function cohensKappa(pairs: readonly (readonly [one: boolean, other: boolean])[]): number {
  const share = (count: number): number => (pairs.length === 0 ? 0 : count / pairs.length);
  const agreed = share(pairs.filter(([one, other]) => one === other).length);
  const first = share(pairs.filter(([one]) => one).length);
  const second = share(pairs.filter(([, other]) => other).length);
  const byChance = first * second + (1 - first) * (1 - second);
  return byChance === 1 ? agreed : (agreed - byChance) / (1 - byChance);
}
