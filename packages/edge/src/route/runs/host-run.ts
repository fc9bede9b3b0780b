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

/** A run that happens in this instance. */
export type HostedRun = {
  readonly runId: string;
  readonly subject: string;
  /** What clients may see of its events, as JSON, once it is written down. */
  readonly shown: EventChannel<string>;
  send(command: RunCommand): Promise<EditReply>;
  /** Ends it; with an error, where that was not wished for. */
  stop(error?: SerializedError): void;
  /** Once it has ended and is written down, or cannot be: whether it is. Never rejects. */
  readonly written: Promise<boolean>;
};

export type HostedRunOptions = {
  runId: string;
  subject: string;
  executor: Executor;
  request: RunRequest;
  store: RunLogStore;
  runMs: number;
  /** Lets clients read what the prompt's own code threw. */
  showErrors?: boolean;
  /** Lets clients read what the model is sent. */
  showRequests?: boolean;
  /** Called with each event as it happens, with what the model is sent. */
  onEvent?(event: RunEvent, stop: HostedRun['stop']): void;
  /** What clients may do to it. */
  permissions?: Permissions;
  onFailure(error: unknown): void;
};

/** How long a run that is stopped may take to say so itself, in milliseconds. */
const GRACE_MS = 1_000;
const MAX_TIMER_MS = 2 ** 31 - 1;

/**
 * Starts a run that goes on whoever watches it, under the id that its store knows it by. It ends by itself, when it is
 * stopped, here or by another instance, and after `runMs`. Of its events only their JSON is kept, and of what it was started
 * with nothing once it has begun.
 */
export function hostRun(options: HostedRunOptions): HostedRun {
  const { runId, subject, executor, store, runMs, showErrors, showRequests, onEvent, onFailure } = options;
  const shown = createEventChannel<string>((event) => event.length);
  /** Until it has begun. */
  let request: RunRequest | undefined = options.request;
  let length = 0;
  let ended = false;
  /** When the last event happened, in milliseconds since the start. */
  let lastTime = 0;
  const aborting = new AbortController();
  /** Ends the listening. */
  const over = new AbortController();
  /** What was answered to other instances, by the ids of their questions. */
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
        'What happens in this run could not be written down. It goes on, but where the connection is lost, it may not be found again.',
      );
    },
    onOver() {
      const message = 'Others took where this ran for gone, and ended it. Start it again.';
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
    // a warning of our own moves what follows
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

  /** Has the run end; with an error, where it was not wished for. */
  function end(error?: SerializedError): void {
    if (aborting.signal.aborted) return;
    cause = error;
    aborting.abort();
    if (!ended) grace = setTimeout(() => close(error), GRACE_MS);
  }

  /** Ends the log of a run that does not do so itself. */
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
    // heard again after a store that was away, it is answered again and not done again
    const answer = known ?? { reply: await answerTo(message), told: false };
    replies.set(id, answer);
    // a store gives no more than these again
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
      return { accepted: false, reason: 'The run could not make sense of it.' };
    }
  }

  /** Hears what other instances are told about the run, also after a store that was away. */
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

/** What is answered to a command that comes too late. */
export function runEndedReply(): EditReply {
  return { accepted: false, reason: 'The run is not under way.' };
}
