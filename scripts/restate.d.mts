/** What to do where none can be fetched. */
export const howToGetRestate: string;

/** A Restate server that starts: CUELINE_RESTATE, else one that an earlier test has fetched. */
export function findRestate(env?: Record<string, string | undefined>): string | undefined;

/** The same, but fetches one from npm if there is none. */
export function ensureRestate(): string | undefined;
/** Does the same in CI. Elsewhere only the long tests fetch one. */
export function ensureRestateInCi(): void;
