import process from 'node:process';
import { median } from '../table.ts';

/** What a step or a task cost at the beginning of a run, and at its end. */
export type Pace = { first: number; last: number };

/** Notes the time at which each step begins, in microseconds of this thread: other work on the machine is not ours. */
export function createMarks(): { mark: () => void; pace(steps: { of: number; per: number }): Pace } {
  const marks: number[] = [];
  return {
    mark() {
      const { user, system } = process.threadCpuUsage();
      marks.push(user + system);
    },
    /** Of the first and the last `of` steps, the time of `per` steps on average. */
    pace({ of, per }) {
      const between = (from: number, to: number): number => ((marks[to]! - marks[from]!) / of) * per;
      return { first: between(0, of), last: between(marks.length - 1 - of, marks.length - 1) };
    },
  };
}

/** Runs each contender as often and as early as the others. Gives each one's paces, round by round. */
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

/** What each round cost as a ratio to a baseline's: taken one by one, since a machine is not equally fast in all of them. */
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

/** A row of a table: how much at the beginning, how much at the end, and the ratio of the two. */
export function paceRow(name: string, { first, last }: Pace, digits = 0, budget = ''): string[] {
  return [name, first.toFixed(digits), last.toFixed(digits), `×${(last / first).toFixed(2)}`, budget];
}

/** Of what was measured before step 0, after the first steps, before the last ones, and after them. */
export function paceOf([begin, early, late, end]: readonly number[], steps: number): Pace {
  return { first: (early! - begin!) / steps, last: (end! - late!) / steps };
}
