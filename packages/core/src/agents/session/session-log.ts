import type { SessionLogger } from './session-config.ts';

/** Notes something in the caller's logger, with whose session it is. */
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
      // there is nowhere left to say so
    }
  };
}
