import process from 'node:process';

/** How many examples of a law `pnpm test` tries, of those that `pnpm test:long` tries: a quarter, or one in `share`. */
export function sample(all: number, share = 4): number {
  return process.env['CUELINE_ALL_RUNS'] === undefined ? Math.ceil(all / share) : all;
}

/** These examples, of which `pnpm test` tries every fourth, or one in `share`. */
export function sampled<Example>(all: readonly Example[], share = 4): Example[] {
  const step = all.length / sample(all.length, share);
  return all.filter((_example, index) => index % step < 1);
}
