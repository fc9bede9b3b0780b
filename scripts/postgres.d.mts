/** The command that installs one. */
export const howToInstallPostgres: string;

/** The folder of a Postgres server's programs: CUELINE_POSTGRES, else that of one on the PATH, else Debian's. */
export function findPostgres(env?: Record<string, string | undefined>): string | undefined;

/** The same, but in CI gets one where there is none. */
export function ensurePostgres(): string | undefined;
