import { plural } from '../ui/format.ts';

const hour = 60 * 60_000;
const day = 24 * hour;

/** How long something is kept, never rounded down: `30 days`, `1 hour`. */
export function formatLifetime(ms: number): string {
  if (ms >= 2 * day) return plural(Math.ceil(ms / day), 'day');
  if (ms >= hour) return plural(Math.ceil(ms / hour), 'hour');
  return plural(Math.ceil(ms / 60_000), 'minute');
}

/** A day, with the time if it is soon: `22 December 2026`. */
export function formatDate(at: number, now: number = Date.now()): string {
  const date = new Date(at);
  const soon = at - now < 2 * day;
  return date.toLocaleString('en-GB', {
    day: 'numeric',
    month: 'long',
    ...(soon ? { hour: '2-digit', minute: '2-digit' } : { year: 'numeric' }),
  });
}
