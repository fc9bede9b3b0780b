import type { ModelMessage } from 'ai';
import { thrownText } from '../../base/error-source.ts';
import { copyPlain } from '../../json/copy-plain.ts';
import { isMessage } from '../../messages/check-messages.ts';
import type { EventSink } from '../../tool-calls/run-context.ts';
import type { ErrorInfo, SessionCallbacks } from './session-callbacks.ts';
import type { SessionLogger, SessionSettings } from './session-config.ts';

type Changing = 'onBeforeSummarize' | 'onAfterSummarize';
type Plain = Exclude<keyof SessionCallbacks, Changing>;
type Given<Name extends Plain> =
  Parameters<NonNullable<SessionCallbacks[Name]>> extends [string, ...infer Rest] ? Rest : never;

/**
 * Reports about a session: to its callbacks, one after the other, to its logger, and with warnings to the log of its
 * run. After `close`, later reports are dropped, except for those about the end.
 */
export type SessionReporter = {
  /** Resolves once this callback, and all before it, are done. */
  call<Name extends Plain>(name: Name, ...given: Given<Name>): Promise<void>;
  /** Returns a list of messages as changed by a callback; the same list if there is none, or if it fails. */
  change(name: Changing, messages: readonly ModelMessage[]): Promise<readonly ModelMessage[]>;
  fail(info: ErrorInfo): Promise<void>;
  /** Writes to the caller's logger, with the session's id. */
  note(level: keyof SessionLogger, message: string, more?: Readonly<Record<string, unknown>>): void;
  warn(message: string): void;
  /** Resolves once the queue of callbacks is empty. */
  drained(): Promise<void>;
  /** Returns the function that still reports. */
  close(): SessionReporter['call'];
};

export function createSessionReporter(
  settings: SessionSettings & { sessionId: string },
  sink: EventSink,
): SessionReporter {
  const { sessionId, logger, metadata } = settings;
  // invalid settings are reported, too
  const callbacks = settings.callbacks ?? {};
  let last: Promise<unknown> = Promise.resolve();
  let closed = false;

  const note: SessionReporter['note'] = (level, message, more) => {
    const fields = { sessionId, ...(metadata === undefined ? {} : { metadata }), ...more };
    // a failing logger cannot be reported anywhere
    (async () => logger?.[level]?.(message, fields))().catch(() => {});
  };

  function enqueue(name: string, run: () => unknown): Promise<unknown> {
    last = last.then(run).catch((error: unknown) => {
      const message = `${name} threw: ${thrownText(error)}`;
      sink.append({ type: 'warning', message, source: 'hook' });
      note('error', message, { error });
    });
    return last;
  }

  const call: SessionReporter['call'] = async (name, ...given) => {
    const callback = callbacks[name] as ((...all: unknown[]) => unknown) | undefined;
    if (callback === undefined) return void (await last);
    // the result is the promise that is awaited
    const copies = name === 'onComplete' ? given : given.map(copyOf);
    await enqueue(name, () => callback(sessionId, ...copies));
  };

  return {
    async call(name, ...given) {
      if (!closed) await call(name, ...given);
    },
    async change(name, messages) {
      const callback = callbacks[name];
      if (callback === undefined || closed) return messages;
      const changed = await enqueue(name, async () =>
        checkList(await callback(sessionId, copyOf([...messages]))),
      );
      return (changed as ModelMessage[] | undefined) ?? messages;
    },
    async fail(info) {
      if (closed) return;
      note('error', info.error.message, { phase: info.phase, turn: info.turn });
      await call('onError', info);
    },
    note,
    warn(message) {
      sink.append({ type: 'warning', message });
      note('warn', message);
    },
    async drained() {
      await last;
    },
    close() {
      closed = true;
      return call;
    },
  };
}

/** Returns a copy that a callback may modify: the log and the conversation have their own. */
function copyOf<Given>(given: Given): Given {
  if (Array.isArray(given)) return given.map(copyOf) as Given;
  try {
    return copyPlain(given) as Given;
  } catch {
    // arguments nested too deep
    return given;
  }
}

function checkList(given: unknown): ModelMessage[] {
  const isSaid = (value: unknown): boolean => isMessage(value) && value.role !== 'system';
  if (Array.isArray(given) && given.every(isSaid)) return given as ModelMessage[];
  throw new TypeError('It did not return a list of user, assistant and tool messages.');
}
