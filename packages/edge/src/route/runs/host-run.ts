import {
  CuelineError,
  failedStart,
  type EditReply,
  type Executor,
  type RunCommand,
  type RunEvent,
  type RunRequest,
  type SerializedError,
} from '@cueline/core';
import { createStoredCalls } from '@cueline/core/server';
import { createEventChannel, type EventChannel } from '../../stores/event-channel.ts';
import { KEPT_MESSAGES, type RunLogStore, type RunMessage } from '../../stores/run-log-store.ts';
import { createCommandCheck } from '../check-command.ts';
import { createErrorRedaction } from '../redact-errors.ts';
import { redactRequests } from '../redact-requests.ts';
import type { Permissions } from '../permissions.ts';
import { createStoreWriter } from './store-writer.ts';

/** A run in this instance. */
export type HostedRun = {
  readonly runId: string;
  readonly subject: string;
  /** The events for clients, as JSON, once they are stored. */
  readonly shown: EventChannel<string>;
  send(command: RunCommand): Promise<EditReply>;
  /** Ends the run; with an error, if the user did not ask for it. */
  stop(error?: SerializedError): void;
  /** Resolves once the run has ended and is stored, with true, or cannot be stored, with false. Never rejects. */
  readonly written: Promise<boolean>;
};

export type HostedRunOptions = {
  runId: string;
  subject: string;
  executor: Executor;
  request: RunRequest;
  store: RunLogStore;
  runMs: number;
  /** Shows clients the errors that the prompt's own code threw. */
  showErrors?: boolean;
  /** Shows clients what the model is sent. */
  showRequests?: boolean;
  /** Called with each event when it happens, including what the model is sent. */
  onEvent?(event: RunEvent, stop: HostedRun['stop']): void;
  /** The permissions of its clients. */
  permissions?: Permissions;
  onFailure(error: unknown): void;
};

/** How long a stopped run may take to report its end, in milliseconds. */
const GRACE_MS = 1_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Starts a run that continues without readers, under its id in the store. It ends by itself, when this or another
 * instance stops it, and after `runMs`. Keeps only the JSON of its events, and nothing of its request once it has
 * begun.
 */
export function hostRun(options: HostedRunOptions): HostedRun {
  const { runId, subject, executor, store, runMs, showErrors, showRequests, onEvent, onFailure } = options;
  const shown = createEventChannel<string>((event) => event.length);
  /** Undefined once the run has begun. */
  let request: RunRequest | undefined = options.request;
  let length = 0;
  let ended = false;
  /** The time of the last event, in milliseconds since the start. */
  let lastTime = 0;
  const aborting = new AbortController();
  /** Ends the listening for messages. */
  const over = new AbortController();
  /** Replies to other instances, by the ids of their messages. */
  const replies = new Map<string, { reply: EditReply; told: boolean }>();
  const hideErrors = showErrors ? undefined : createErrorRedaction(onFailure);
  const check = createCommandCheck({
    permissions: options.permissions ?? {},
    prompt: request.definition.name,
    subject,
    onFailure,
  });
  let innerId: string | undefined;
  let cause: SerializedError | undefined;
  let grace: ReturnType<typeof setTimeout> | undefined;

  const writer = createStoreWriter({
    store,
    runId,
    show(events, isEnd) {
      shown.push(events);
      if (isEnd) shown.close();
    },
    onFailure(error) {
      onFailure(error);
      warn(
        'The events of this run could not be stored. The run continues, but after a lost connection it may not be found again.',
      );
    },
    onOver() {
      const message = 'Another instance assumed this one had crashed and ended the run. Start it again.';
      end({ code: 'interrupted', message });
    },
  });
  const calls = createStoredCalls(writer.flush);
  const timeout = setTimeout(
    () => {
      const message = `The run took longer than the ${runMs / 1_000} s that it may take here, so it was ended.`;
      end({ code: 'timeout', message, details: { ms: runMs } });
    },
    Math.min(runMs, MAX_TIMER_MS),
  );

  function add(event: RunEvent): void {
    if (ended) return;
    // a warning of the route moves later events
    const placed = { ...(hideErrors?.(event) ?? event), seq: length };
    if (placed.type === 'run-start' || placed.type === 'run-resume') {
      innerId = placed.runId;
      placed.runId = runId;
    }
    const told =
      placed.type === 'run-end' && placed.outcome === 'stopped' && cause !== undefined
        ? { ...placed, outcome: 'error' as const, error: cause }
        : placed;
    check.see(told);
    length += 1;
    lastTime = told.t;
    request = undefined;
    ended = told.type === 'run-end';
    writer.push(JSON.stringify(showRequests ? told : redactRequests(told)), ended);
    calls.see(told);
    if (ended) {
      over.abort();
      clearTimeout(timeout);
      clearTimeout(grace);
    }
    onEvent?.(told, end);
  }

  function warn(message: string): void {
    if (length > 0) add({ seq: 0, t: lastTime, type: 'warning', message });
  }

  /** Ends the run; with an error, if the user did not ask for it. */
  function end(error?: SerializedError): void {
    if (aborting.signal.aborted) return;
    cause = error;
    aborting.abort();
    if (!ended) grace = setTimeout(() => close(error), GRACE_MS);
  }

  /** Ends the log of a run that does not end it itself. */
  function close(error?: SerializedError): void {
    if (request !== undefined) {
      const { definition, messages, input } = request;
      const failure = error === undefined ? undefined : CuelineError.fromJSON(error);
      for (const event of failedStart(definition.name, failure, messages, input)) add(event);
      return;
    }
    const how = error === undefined ? { outcome: 'stopped' as const } : { outcome: 'error' as const, error };
    add({ seq: 0, t: lastTime, type: 'run-end', ...how });
  }

  async function follow(started: RunRequest): Promise<void> {
    let error: SerializedError = {
      code: 'stream_truncated',
      message: 'The run broke off without an end. Start it again.',
    };
    try {
      for await (const event of executor.start({ ...started, whenStored: calls.whenStored }, aborting.signal))
        add(event);
    } catch (thrown) {
      onFailure(thrown);
      if (CuelineError.isInstance(thrown)) error = thrown.toJSON();
    }
    close(aborting.signal.aborted ? cause : error);
  }

  async function send(command: RunCommand): Promise<EditReply> {
    if (innerId === undefined || innerId === '' || ended) return runEndedReply();
    const reason = await check.refusal(command);
    if (reason !== undefined) return { accepted: false, reason };
    return (await executor.send?.(innerId, command)) ?? runEndedReply();
  }

  async function obey(message: RunMessage): Promise<void> {
    if (message.type === 'stop') return end();
    if (message.type === 'reply') return;
    const { id } = message;
    const known = replies.get(id);
    if (known?.told === true) return;
    // a message that arrives again after the store was away gets its reply again, and is not executed again
    const answer = known ?? { reply: await answerTo(message), told: false };
    replies.set(id, answer);
    // a store repeats no more than these
    for (const oldest of replies.keys()) {
      if (replies.size <= KEPT_MESSAGES) break;
      replies.delete(oldest);
    }
    await store.tell(runId, { type: 'reply', id, reply: answer.reply });
    answer.told = true;
  }

  async function answerTo(message: Extract<RunMessage, { type: 'ping' | 'command' }>): Promise<EditReply> {
    if (message.type === 'ping') return { accepted: true };
    try {
      return await send(message.command);
    } catch (error) {
      onFailure(error);
      return { accepted: false, reason: 'The run did not understand the command.' };
    }
  }

  /** Reads the messages of other instances, also after the store was away. */
  async function listen(): Promise<void> {
    for (let failures = 0; !over.signal.aborted; failures += 1) {
      try {
        for await (const message of store.told(runId, over.signal)) {
          failures = 0;
          await obey(message);
        }
        return;
      } catch (error) {
        if (failures === 0) onFailure(error);
        await new Promise((resolve) => setTimeout(resolve, Math.min(100 * 2 ** failures, 5_000)));
      }
    }
  }

  void follow(options.request);
  void listen();
  return { runId, subject, shown, send, stop: end, written: writer.written };
}

/** Returns the reply to a command that comes too late. */
export function runEndedReply(): EditReply {
  return { accepted: false, reason: 'The run is not under way.' };
}
