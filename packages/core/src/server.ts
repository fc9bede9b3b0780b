// An entry of its own, so that a page, which only reads the events of a route, does not load it.
export { toEventStream, type EventStreamOptions } from './wire/event-stream.ts';
export { sendCommand } from './engine/create-run-handle.ts';
export { createStoredCalls } from './executors/stored-calls.ts';
export { canonicalCall } from './json/canonical.ts';
export { hashOf } from './json/content-hash.ts';
export { ignorePromises } from './json/refuse-lossy.ts';
export { refusePromises } from './json/refuse-promises.ts';
export { applyTaskEvent } from './tasks/task.ts';
export { RUN_HEADER } from './wire/run-header.ts';
export { toServerSentEvents, type ServerSentEventsOptions } from './wire/server-sent-events.ts';
export { checkNames } from './base/check-names.ts';
export { thrownText } from './base/error-source.ts';
export { isUnawaited } from './base/is-promise.ts';
export { checkOptionNames } from './prompt/option-names.ts';
export { readInput } from './prompt/read-input.ts';
export { createSemaphore, type Semaphore } from './tool-calls/semaphore.ts';
export { guardedDownload, type Download, type DownloadSettings } from './provider/guarded-download.ts';
