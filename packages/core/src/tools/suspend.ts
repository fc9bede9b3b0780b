const kind = 'cueline-suspension';

/** The return value of a tool whose result comes later from somewhere else. Plain JSON if its payload is. */
export type Suspension = { readonly kind: typeof kind; readonly payload: unknown };

/** A call that waits for its result. */
export type SuspendedCall = { toolCallId: string; toolName: string; payload: unknown };

/**
 * Returned by a tool of a session, it ends the session as `suspended` once the other calls of the same answer
 * are done. The session continues with its `messages` as `initialMessages`, and with `answers: { [toolCallId]:
 * answer }`.
 *
 * @example
 * execute: async ({ question }) => suspend({ question })
 */
export function suspend(payload: unknown): Suspension {
  return { kind, payload: payload ?? null };
}

export function isSuspension(value: unknown): value is Suspension {
  return typeof value === 'object' && value !== null && (value as { kind?: unknown }).kind === kind;
}
