// Apart from the rest, so that a page, which only reads what a route writes, does not load it.
export { toEventStream, type EventStreamOptions } from './log/event-stream.ts';
export { createStoredCalls } from './run/stored-calls.ts';
export { canonicalCall } from './run/canonical.ts';
export { applyTaskEvent } from './tasks/task.ts';
export { toServerSentEvents, type ServerSentEventsOptions } from './log/server-sent-events.ts';
export { checkNames, checkOptionNames } from './prompt/option-names.ts';
export { readInput } from './prompt/read-input.ts';
export { guardedDownload, type Download, type DownloadSettings } from './run/guarded-download.ts';
