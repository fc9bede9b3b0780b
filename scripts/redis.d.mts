/** The command that installs one. */
export const howToInstallRedis: string;

/** A Redis server that starts: CUELINE_REDIS, else one on the PATH. */
export function findRedis(env?: Record<string, string | undefined>): string | undefined;

/** The same, but in CI gets one where there is none. */
export function ensureRedis(): string | undefined;
