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
import { startTimer } from '../../base/timer.ts';
import { withTimeout } from '../../base/with-timeout.ts';
import { createEventChannel, type EventChannel } from '../../stores/event-channel.ts';
import { KEPT_MESSAGES, opened, type RunLogStore, type RunMessage } from '../../stores/run-log-store.ts';
import { createCommandCheck } from '../check-command.ts';
import type { Permissions } from '../permissions.ts';
import { createErrorRedaction } from '../redact-errors.ts';
import { redactRequests } from '../redact-requests.ts';
import { createCommandBudget } from './command-budget.ts';
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
  /** The most bytes of one command; a few of this size are the most that the run takes. */
  commandBytes: number;
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

/** How many commands of other instances wait until those before them are checked. */
const MAX_WAITING = 20;
const tooManyReply: EditReply = {
  accepted: false,
  reason: 'Too many commands wait for this run. Try again in a while.',
};

/**
 * Starts a run that continues without readers, under its id in the store. It ends by itself, when this or another
 * instance stops it, and after `runMs`. Keeps only the JSON of its events, and nothing of its request once it has
 * begun.
 */
export function hostRun(options: HostedRunOptions): HostedRun {
  return new RunHost(options);
}

/** One run in this instance. */
class RunHost implements HostedRun {
  readonly runId;
  readonly subject;
  readonly #executor;
  readonly #store;
  readonly #runMs;
  readonly #showRequests;
  readonly #onEvent;
  readonly #onFailure;
  readonly shown: EventChannel<string> = createEventChannel<string>((event) => event.length);
  /** Undefined once the run has begun. */
  #request: RunRequest | undefined;
  #length = 0;
  #ended = false;
  /** The time of the last event, in milliseconds since the start. */
  #lastTime = 0;
  readonly #aborting = new AbortController();
  /** Ends the listening for messages. */
  readonly #over = new AbortController();
  /** Replies to other instances, by the ids of their messages. */
  readonly #replies = new Map<string, { reply: EditReply; shown: boolean }>();
  readonly #hideErrors;
  readonly #check;
  readonly #budget;
  #innerId: string | undefined;
  #cause: SerializedError | undefined;
  #grace: ReturnType<typeof setTimeout> | undefined;
  readonly #writer;
  readonly #calls;
  readonly #timeout;
  readonly written: Promise<boolean>;

  /** Ends the run; with an error, if the user did not ask for it. */
  readonly stop = (error?: SerializedError): void => {
    if (this.#aborting.signal.aborted) return;
    this.#cause = error;
    this.#aborting.abort();
    if (!this.#ended) this.#grace = setTimeout(() => this.#close(error), GRACE_MS);
  };

  constructor(options: HostedRunOptions) {
    this.runId = options.runId;
    this.subject = options.subject;
    this.#executor = options.executor;
    this.#store = options.store;
    this.#runMs = options.runMs;
    this.#showRequests = options.showRequests;
    this.#onEvent = options.onEvent;
    this.#onFailure = options.onFailure;
    this.#request = options.request;
    this.#hideErrors = options.showErrors ? undefined : createErrorRedaction(this.#onFailure);
    this.#check = createCommandCheck({
      permissions: options.permissions ?? {},
      prompt: options.request.definition.name,
      subject: this.subject,
      onFailure: this.#onFailure,
    });
    this.#budget = createCommandBudget(options.commandBytes);
    this.#writer = createStoreWriter({
      store: this.#store,
      runId: this.runId,
      show: (events, isEnd) => {
        this.shown.push(events);
        if (isEnd) this.shown.close();
      },
      onFailure: (error) => {
        this.#onFailure(error);
        this.#warn(
          'The events of this run could not be stored. The run continues, but after a lost connection it may not be found again.',
        );
      },
      onOver: () => {
        const message = 'Another instance assumed this one had crashed and ended the run. Start it again.';
        this.stop({ code: 'interrupted', message });
      },
    });
    this.#calls = createStoredCalls(() => this.#writer.flush());
    this.#timeout = startTimer(() => {
      const message = `The run took longer than the ${this.#runMs / 1_000} s allowed here, so it was ended.`;
      this.stop({ code: 'timeout', message, details: { ms: this.#runMs } });
    }, this.#runMs);
    void this.#follow(options.request);
    void this.#listen();
    this.written = this.#writer.written;
  }

  async send(command: RunCommand): Promise<EditReply> {
    if (this.#innerId === undefined || this.#innerId === '' || this.#ended) return runEndedReply();
    const reason = await this.#check.refusal(command);
    if (reason !== undefined) return { accepted: false, reason };
    const refused = this.#budget(command);
    if (refused !== undefined) return refused;
    return (await this.#executor.send?.(this.#innerId, command)) ?? runEndedReply();
  }

  #add(event: RunEvent): void {
    if (this.#ended) return;
    // a warning of the route moves later events
    const numbered = { ...(this.#hideErrors?.(event) ?? event), seq: this.#length };
    if (numbered.type === 'run-start' || numbered.type === 'run-resume') {
      this.#innerId = numbered.runId;
      numbered.runId = this.runId;
    }
    const shown =
      numbered.type === 'run-end' && numbered.outcome === 'stopped' && this.#cause !== undefined
        ? { ...numbered, outcome: 'error' as const, error: this.#cause }
        : numbered;
    this.#check.see(shown);
    this.#length += 1;
    this.#lastTime = shown.t;
    this.#request = undefined;
    this.#ended = shown.type === 'run-end';
    this.#writer.push(JSON.stringify(this.#showRequests ? shown : redactRequests(shown)), this.#ended);
    this.#calls.see(shown);
    if (this.#ended) {
      this.#over.abort();
      clearTimeout(this.#timeout);
      clearTimeout(this.#grace);
    }
    this.#onEvent?.(shown, this.stop);
  }

  #warn(message: string): void {
    if (this.#length > 0) this.#add({ seq: 0, t: this.#lastTime, type: 'warning', message });
  }

  /** Ends the log of a run that does not end it itself. */
  #close(error?: SerializedError): void {
    if (this.#request !== undefined) {
      const { definition, messages, input } = this.#request;
      const failure = error === undefined ? undefined : CuelineError.fromJSON(error);
      for (const event of failedStart(definition.name, failure, messages, input)) this.#add(event);
      return;
    }
    const how = error === undefined ? { outcome: 'stopped' as const } : { outcome: 'error' as const, error };
    this.#add({ seq: 0, t: this.#lastTime, type: 'run-end', ...how });
  }

  async #follow(started: RunRequest): Promise<void> {
    let error: SerializedError = {
      code: 'stream_truncated',
      message: 'The run ended unexpectedly. Start it again.',
    };
    try {
      for await (const event of this.#executor.start(
        { ...started, whenStored: this.#calls.whenStored },
        this.#aborting.signal,
      ))
        this.#add(event);
    } catch (thrown) {
      this.#onFailure(thrown);
      if (CuelineError.isInstance(thrown)) error = thrown.toJSON();
    }
    this.#close(this.#aborting.signal.aborted ? this.#cause : error);
  }

  async #execute(message: RunMessage): Promise<void> {
    if (message.type === 'stop') return this.stop();
    if (message.type === 'reply') return;
    const { id } = message;
    const known = this.#replies.get(id);
    if (known?.shown === true) return;
    // a message that arrives again after the store was away gets its reply again, and is not executed again
    const answer = known ?? { reply: await this.#answerTo(message), shown: false };
    this.#replies.set(id, answer);
    // a store repeats no more than these
    for (const oldest of this.#replies.keys()) {
      if (this.#replies.size <= KEPT_MESSAGES) break;
      this.#replies.delete(oldest);
    }
    await this.#reply(id, answer.reply);
    answer.shown = true;
  }

  async #reply(id: string, reply: EditReply): Promise<void> {
    await withTimeout(this.#store.send(this.runId, { type: 'reply', id, reply }));
  }

  async #answerTo(message: Extract<RunMessage, { type: 'ping' | 'command' }>): Promise<EditReply> {
    if (message.type === 'ping') return { accepted: true };
    try {
      return await this.send(message.command);
    } catch (error) {
      this.#onFailure(error);
      return {
        accepted: false,
        reason: 'The server could not carry out the command. Its operator can see the error.',
      };
    }
  }

  /** Reads the messages of other instances, also after the store was away. */
  async #listen(): Promise<void> {
    // one after the other, also if they arrive again: the check of a command may take long
    let commands = Promise.resolve();
    let waiting = 0;
    for (let failures = 0; !this.#over.signal.aborted; failures += 1) {
      const listening = new AbortController();
      const stop = (): void => listening.abort();
      this.#over.signal.addEventListener('abort', stop, { once: true });
      let failure: { error: unknown } | undefined;
      const fail = (error: unknown): void => {
        failure = { error };
        stop();
      };
      try {
        const messages = await opened('messages', this.#store.messages(this.runId, listening.signal));
        for await (const message of messages) {
          failures = 0;
          // other instances take a run that answers no ping for lost, so no message waits for the reply to another one
          if (message.type !== 'command') void this.#execute(message).catch(fail);
          else if (waiting >= MAX_WAITING) void this.#reply(message.id, tooManyReply).catch(fail);
          else {
            waiting += 1;
            commands = commands
              .then(() => this.#execute(message))
              .catch(fail)
              .finally(() => (waiting -= 1));
          }
        }
        if (failure === undefined) return;
        throw failure.error;
      } catch (error) {
        if (failures === 0) this.#onFailure(error);
        await new Promise((resolve) => setTimeout(resolve, Math.min(100 * 2 ** failures, 5_000)));
      } finally {
        this.#over.signal.removeEventListener('abort', stop);
      }
    }
  }
}

/** Returns the reply to a command that comes too late. */
export function runEndedReply(): EditReply {
  return { accepted: false, reason: 'The run is not in progress.' };
}
