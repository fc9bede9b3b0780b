import type { SessionLogger } from './session-config.ts';

/** Writes to the caller's logger, with the session's id. */
export type SessionLog = (
  level: keyof SessionLogger,
  message: string,
  more?: Readonly<Record<string, unknown>>,
) => void;

export function createSessionLog(
  logger: SessionLogger | undefined,
  sessionId: string,
  metadata: Readonly<Record<string, unknown>> | undefined,
): SessionLog {
  return (level, message, more) => {
    try {
      logger?.[level]?.(message, { sessionId, ...(metadata === undefined ? {} : { metadata }), ...more });
    } catch {
      // a failing logger cannot be reported anywhere
    }
  };
}
