import process from 'node:process';

/** How many examples of a law `pnpm test` tries, of those that `pnpm test:long` tries: a quarter. */
export function sample(all: number): number {
  return process.env['CUELINE_ALL_RUNS'] === undefined ? Math.ceil(all / 4) : all;
}
