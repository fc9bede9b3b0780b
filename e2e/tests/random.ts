/** Numbers from 0 to 1 that follow from a seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** The seed in `CUELINE_SEED`, or a new one each time. It is printed, so that a failure can be repeated. */
export function takeSeed(): number {
  const given = process.env['CUELINE_SEED'];
  const seed = given === undefined ? Math.floor(Math.random() * 1_000_000) : Number(given);
  if (!Number.isInteger(seed))
    throw new Error(`CUELINE_SEED is ${given}, not a whole number. Set a whole number, or leave it unset.`);
  console.log(`random moments: to repeat them, set CUELINE_SEED=${seed}`);
  return seed;
}
