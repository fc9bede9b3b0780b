const kind = 'cueline-suspension';

/** Marks what `suspend` makes. The same symbol in every copy of this package. Neither JSON nor a copy carries it. */
const brand = Symbol.for('cueline.suspension');

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
  return Object.defineProperty({ kind, payload: payload ?? null }, brand, { value: true });
}

/** True for a value of this form, as logs and messages have it. */
export function isSuspension(value: unknown): value is Suspension {
  if (typeof value !== 'object' || value === null) return false;
  return (value as { kind?: unknown }).kind === kind && Object.keys(value).length === 2 && 'payload' in value;
}

/** True for data of the same form that `suspend` has not made, such as the answer of a server. */
export function isForeignSuspension(value: unknown): value is Suspension {
  return isSuspension(value) && !Object.hasOwn(value, brand);
}
