// An entry of its own, so that only a page that shares or stores runs as text loads it.
export { decodeLink, decodeLog, encodeLink, encodeLog, LINK_BYTES, type LinkPayload } from './wire/link.ts';
export { upgradeLog } from './log/upgrade-log.ts';
export { isRunEvent } from './wire/check-event.ts';
export { createEventCounter, defaultEventLimits, type EventLimits } from './wire/event-limits.ts';
