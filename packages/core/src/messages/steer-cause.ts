import type { RunEventBody } from '../log/events.ts';

type Cause = Extract<RunEventBody, { type: 'steer' }>['cause'];

const causes: ReadonlySet<string> = new Set<Cause>(['tasks', 'output', 'session', 'call', 'correction']);

/** Who sent a steering message, by its id: one of ours, or whoever else has the steering object. */
export function causeOf(id: string): Cause {
  const [cause = ''] = id.split('-');
  return causes.has(cause) ? (cause as Cause) : 'user';
}
