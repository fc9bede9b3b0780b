import process from 'node:process';
import { median } from '../table.ts';

/** The cost of a step or a task at the beginning of a run and at its end. */
export type Pace = { first: number; last: number };

/** Records the CPU time of this thread at the beginning of each step, in microseconds. */
export function createMarks(): { mark: () => void; pace(steps: { of: number; per: number }): Pace } {
  const marks: number[] = [];
  return {
    mark() {
      const { user, system } = process.threadCpuUsage();
      marks.push(user + system);
    },
    /** The average time of `per` steps, among the first `of` steps and among the last. */
    pace({ of, per }) {
      const between = (from: number, to: number): number => ((marks[to]! - marks[from]!) / of) * per;
      return { first: between(0, of), last: between(marks.length - 1 - of, marks.length - 1) };
    },
  };
}

/** Runs all contenders equally often and equally early. Returns the costs of each, round by round. */
export async function race<Name extends string>(
  contenders: Readonly<Record<Name, () => Promise<Pace>>>,
  rounds: number,
): Promise<Record<Name, Pace[]>> {
  const names = Object.keys(contenders) as Name[];
  const paces = Object.fromEntries(names.map((name) => [name, [] as Pace[]])) as Record<Name, Pace[]>;
  // the first round warms up
  for (let round = -1; round < rounds; round++) {
    for (let index = 0; index < names.length; index++) {
      const name = names[(index + round + 1) % names.length]!;
      globalThis.gc?.();
      const pace = await contenders[name]();
      if (round >= 0) paces[name].push(pace);
    }
  }
  return paces;
}

/**
 * Returns the ratio of each round's cost to the baseline's in the same round, because the machine is not equally fast
 * in all rounds.
 */
export function against(paces: readonly Pace[], baseline: readonly Pace[]): Pace[] {
  return paces.map(({ first, last }, round) => ({
    first: first / baseline[round]!.first,
    last: last / baseline[round]!.last,
  }));
}

/** The medians of some rounds. */
export function medianPace(paces: readonly Pace[]): Pace {
  return {
    first: median(paces.map(({ first }) => first)),
    last: median(paces.map(({ last }) => last)),
  };
}

/** A row of the table: the cost at the beginning, at the end, and their ratio. */
export function paceRow(name: string, { first, last }: Pace, digits = 0, budget = ''): string[] {
  return [name, first.toFixed(digits), last.toFixed(digits), `×${(last / first).toFixed(2)}`, budget];
}

/** Converts measurements before the first step, after the first steps, before the last steps and after them. */
export function paceOf([begin, early, late, end]: readonly number[], steps: number): Pace {
  return { first: (early! - begin!) / steps, last: (end! - late!) / steps };
}
