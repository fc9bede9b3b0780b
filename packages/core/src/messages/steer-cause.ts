import type { RunEventBody } from '../log/events.ts';

type Cause = Extract<RunEventBody, { type: 'steer' }>['cause'];

const causes: ReadonlySet<string> = new Set<Cause>(['tasks', 'output', 'session', 'call', 'correction']);

/**
 * Returns the cause of a steering message by its id: one of Cueline's, or `user` for a message of the steering
 * object's owner.
 */
export function causeOf(id: string): Cause {
  const [cause = ''] = id.split('-');
  return causes.has(cause) ? (cause as Cause) : 'user';
}
