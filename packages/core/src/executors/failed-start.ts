import type { UIMessage } from 'ai';
import type { CuelineError } from '../base/errors.ts';
import { withoutUndefined } from '../base/without-undefined.ts';
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
  yield withoutUndefined({
    seq: 0,
    t: 0,
    type: 'run-start',
    v: LOG_VERSION,
    runId: '',
    name: name || undefined,
    model: '',
    input,
    messages: [...messages],
    turns: messages.length || undefined,
    messageId: '',
  });
  yield withoutUndefined({
    seq: 1,
    t: 0,
    type: 'run-end',
    outcome: error === undefined ? 'stopped' : 'error',
    error: error?.toJSON(),
  });
}
