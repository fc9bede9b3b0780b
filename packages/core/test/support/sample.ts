import process from 'node:process';

/** How many examples of a law `pnpm test` tries, of those that `pnpm test:long` tries: a quarter. */
export function sample(all: number): number {
  return process.env['CUELINE_ALL_RUNS'] === undefined ? Math.ceil(all / 4) : all;
}

/** These examples, of which `pnpm test` tries every fourth. */
export function sampled<Example>(all: readonly Example[]): Example[] {
  const step = all.length / sample(all.length);
  return all.filter((_example, index) => index % step < 1);
}
