const DAY_MS = 24 * 60 * 60_000;

const clock = new Intl.DateTimeFormat('en', { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' });
const day = new Intl.DateTimeFormat('en', { weekday: 'long', day: 'numeric', month: 'long' });
const shortDay = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'short' });
const withYear = new Intl.DateTimeFormat('en', { day: 'numeric', month: 'long', year: 'numeric' });

/** The time of a day: `14:05`. */
export function formatClock(time: number): string {
  return clock.format(time);
}

/** `14:05` today, `3 Nov` earlier. */
export function formatWhen(time: number, now: number = Date.now()): string {
  return daysAgo(time, now) === 0 ? clock.format(time) : shortDay.format(time);
}

/** The day of a time as a heading: `Today`, `Yesterday`, `Monday, November 3`. */
export function formatDay(time: number, now: number = Date.now()): string {
  const days = daysAgo(time, now);
  if (days === 0) return 'Today';
  if (days === 1) return 'Yesterday';
  return days > 0 && days < 300 ? day.format(time) : withYear.format(time);
}

function daysAgo(time: number, now: number): number {
  return Math.round((new Date(now).setHours(0, 0, 0, 0) - new Date(time).setHours(0, 0, 0, 0)) / DAY_MS);
}
