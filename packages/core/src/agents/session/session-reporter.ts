import type { EventSink } from '../../tool-calls/run-context.ts';
import { createCallbackQueue, type CallbackQueue, type ErrorInfo } from './session-callbacks.ts';
import type { SessionSettings } from './session-config.ts';
import { createSessionLog, type SessionLog } from './session-log.ts';

/** Reports about a session: to its callbacks, to its logger, and with warnings to the log of its run. */
export type SessionReporter = CallbackQueue & {
  note: SessionLog;
  warn(message: string): void;
  fail(info: ErrorInfo): Promise<void>;
  /** Ends the reports. Later reports are dropped, except for those to the returned queue. */
  close(): CallbackQueue;
};

export function createSessionReporter(
  settings: SessionSettings & { sessionId: string },
  sink: EventSink,
): SessionReporter {
  const { sessionId, callbacks, logger, metadata } = settings;
  const note = createSessionLog(logger, sessionId, metadata);
  const queue = createCallbackQueue(sessionId, callbacks ?? {}, {
    // a callback threw
    warn: (message) => sink.append({ type: 'warning', message, source: 'hook' }),
    note,
  });
  let closed = false;
  return {
    note,
    warn(message) {
      sink.append({ type: 'warning', message });
      note('warn', message);
    },
    async call(name, ...given) {
      if (!closed) await queue.call(name, ...given);
    },
    change: async (name, messages) => (closed ? messages : queue.change(name, messages)),
    drained: queue.drained,
    async fail(info) {
      if (closed) return;
      note('error', info.error.message, { phase: info.phase, turn: info.turn });
      await queue.call('onError', info);
    },
    close() {
      closed = true;
      return queue;
    },
  };
}
