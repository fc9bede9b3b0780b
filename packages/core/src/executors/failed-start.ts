import type { UIMessage } from 'ai';
import type { CuelineError } from '../base/errors.ts';
import { LOG_VERSION, type RunEvent } from '../log/events.ts';

/**
 * Returns the log of a run that did not reach its first step. Without an error, it was stopped. `input` is plain
 * JSON.
 */
export function* failedStart(
  name: string,
  error: CuelineError | undefined,
  messages: readonly UIMessage[] = [],
  input?: unknown,
): Generator<RunEvent> {
  yield {
    seq: 0,
    t: 0,
    type: 'run-start',
    v: LOG_VERSION,
    runId: '',
    ...(name === '' ? {} : { name }),
    model: '',
    ...(input === undefined ? {} : { input }),
    messages: [...messages],
    ...(messages.length === 0 ? {} : { turns: messages.length }),
    messageId: '',
  };
  yield error === undefined
    ? { seq: 1, t: 0, type: 'run-end', outcome: 'stopped' }
    : { seq: 1, t: 0, type: 'run-end', outcome: 'error', error: error.toJSON() };
}
