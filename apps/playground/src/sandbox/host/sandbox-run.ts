import type { LanguageModelV4 } from '@ai-sdk/provider';
import { CuelineError, type EditReply, type RunCommand, type SerializedError } from '@cueline/core';
import { createEventCounter } from '@cueline/core/link';
import { toRunError } from '@cueline/core/models';
import type { LanguageModel } from 'ai';
import { redactKeys } from '../../model/redact-keys.ts';
import { encodeMessage, type ToWorker } from '../protocol.ts';
import { compileScript, type CompiledScript } from '../script/compile-script.ts';
import { ScriptError, type ScriptPosition } from '../script/script-error.ts';
import { createTimeSlices } from '../time-slices.ts';
import { attributeError } from './attribute-error.ts';
import { createEventAttribution, type EventAttribution } from './attribute-event.ts';
import { createCommandLine, type CommandLine } from './command-line.ts';
import { describeWorkerEnd } from './describe-worker-end.ts';
import { ModelServer } from './model-server.ts';
import { readEvent, readMessage, type ReadMessage } from './read-message.ts';
import { RunLogWriter } from './run-log-writer.ts';
import type { SandboxRunOptions } from './sandbox-run-options.ts';
import type { WorkerFrame, WorkerEnd } from './worker-frame.ts';

/**
 * Runs a script once. `onEvent` gets a complete log: it begins with `run-start`, and ends with exactly one `run-end`.
 */
export function startSandboxRun(options: SandboxRunOptions): SandboxRun {
  return new SandboxRun(options);
}

/** What a worker says before it has a script. */
const readyText = encodeMessage({ type: 'ready' });

/** One run of a script: turns the worker's messages into a log that the page has checked. */
export class SandboxRun {
  readonly #options: SandboxRunOptions;
  readonly #launchedAt = performance.now();
  readonly #countEvent;
  readonly #log: RunLogWriter;
  readonly #attribution: EventAttribution;
  #model = '';
  #definitions = 0;
  #frame: WorkerFrame | undefined;
  #server: ModelServer | undefined;
  #commands: CommandLine | undefined;
  #compiled: CompiledScript | undefined;
  #graceTimer: ReturnType<typeof setTimeout> | undefined;
  /** Messages of the worker that the page has not read yet: many events are read in slices. */
  readonly #inbox: (string | WorkerEnd)[] = [];
  #isReading = false;
  /** True once the worker has said something about the script. */
  #isHeard = false;

  constructor(options: SandboxRunOptions) {
    this.#options = options;
    // those of an unknown type count, too: the check of each takes time
    this.#countEvent = createEventCounter({ entries: options.limits.entries }, { unknownTypes: 'counted' });
    const { request, onEvent } = options;
    const model = (): string => this.#model;
    this.#log = new RunLogWriter({ request, model, onEvent, onEnd: () => this.#cleanUp() });
    this.#attribution = createEventAttribution({
      model,
      input: request.input,
      attributeError: (error) => this.#attributed(error),
    });
    options.signal.addEventListener('abort', this.#stop, { once: true });
    globalThis.addEventListener?.('online', this.#onOnline);
    if (options.signal.aborted) this.#stop();
    else this.#begin().catch(this.#failToBegin);
  }

  /** Sends a command to the run. Never rejects: if there is no answer, the reply has the reason. */
  async send(command: RunCommand): Promise<EditReply> {
    this.#attribution.remember(command);
    return (await this.#commands?.send(command)) ?? { accepted: false, reason: 'The run has not begun.' };
  }

  readonly #stop = (): void => {
    if (this.#frame === undefined) return this.#log.end({ outcome: 'stopped' });
    this.#send({ type: 'stop' });
    this.#server?.close();
    this.#graceTimer = setTimeout(() => this.#log.end({ outcome: 'stopped' }), this.#options.limits.grace);
  };

  readonly #onOnline = (): void => this.#send({ type: 'online' });

  readonly #send = (message: ToWorker): void =>
    this.#frame?.send(redactKeys(encodeMessage(message), this.#options.secrets()));

  readonly #receive = (sent: string | WorkerEnd): void => {
    if (typeof sent === 'string' && sent !== readyText) this.#isHeard = true;
    this.#inbox.push(sent);
    if (!this.#isReading) void this.#readInbox();
  };

  readonly #failToBegin = (error: unknown): void => {
    if (!(error instanceof ScriptError)) return this.#fail(error);
    const position =
      error.line === undefined
        ? undefined
        : { line: error.line, ...(error.column && { column: error.column }) };
    this.#options.onProblem({ message: error.message, ...position, phase: 'compile' });
    this.#fail(new CuelineError('script_error', error.message), position);
  };

  #fail(error: unknown, position?: ScriptPosition): void {
    const json = toRunError(error, this.#options.secrets()).toJSON();
    this.#log.end({
      outcome: 'error',
      error: position === undefined ? json : { ...json, details: { ...json.details, ...position } },
    });
  }

  #cleanUp(): void {
    clearTimeout(this.#graceTimer);
    this.#options.signal.removeEventListener('abort', this.#stop);
    globalThis.removeEventListener?.('online', this.#onOnline);
    this.#server?.close();
    this.#commands?.close();
    this.#frame?.close();
  }

  #attributed(error: SerializedError): SerializedError {
    return attributeError(error, this.#server?.failures ?? []);
  }

  async #readInbox(): Promise<void> {
    this.#isReading = true;
    const pause = createTimeSlices();
    try {
      for (let sent = this.#inbox.shift(); sent !== undefined; sent = this.#inbox.shift()) {
        if (typeof sent === 'string') await this.#readText(sent, pause);
        else this.#onWorkerEnd(sent);
      }
    } catch (error) {
      this.#fail(error);
    } finally {
      this.#isReading = false;
    }
  }

  async #readText(text: string, pause: () => Promise<void> | undefined): Promise<void> {
    const message = this.#log.ended ? undefined : readMessage(text);
    if (message?.type !== 'events') return message && this.#take(message);
    for (const value of message.events) {
      if (this.#log.ended) return;
      this.#readOne(value);
      const turn = pause();
      if (turn !== undefined) await turn;
    }
  }

  #readOne(value: unknown): void {
    if (typeof (value as { type?: unknown } | null)?.type !== 'string') return;
    // measured first, because a check of an event of any size could block the page
    const excess = this.#countEvent(value);
    if (excess !== undefined) return this.#fail(tooMuch(excess));
    const event = readEvent(value);
    if (event === undefined) return;
    // No event can be later than now.
    this.#log.write(
      this.#attribution.attribute(event),
      Math.min(event.t, performance.now() - this.#launchedAt),
    );
  }

  #take(message: Exclude<ReadMessage, { type: 'events' }>): void {
    switch (message.type) {
      case 'failed': {
        // an invalid input has no line in the script
        const position =
          message.error.code === 'invalid_input'
            ? undefined
            : (this.#place(message.at) ?? this.#compiled?.defaultExport);
        if (position !== undefined) this.#reportProblem(message.error.message, position);
        return this.#fail(CuelineError.fromJSON(this.#attributed(message.error)), position);
      }
      case 'problem':
        return this.#reportProblem(message.message, this.#place(message.at), message.toolCallId);
      case 'definition':
        return this.#takeDefinition(message);
      case 'console':
        return this.#options.onConsole(message.level, message.text);
      case 'reply':
        return this.#commands?.receive(message);
      case 'model-call':
      case 'model-credit':
      case 'model-abort':
        return this.#server?.receive(message);
      default:
    }
  }

  #takeDefinition({ of, name, agent, at }: Extract<ReadMessage, { type: 'definition' }>): void {
    this.#definitions += 1;
    const { line } = this.#place(at) ?? at;
    if (this.#definitions > this.#options.limits.definitions) return;
    this.#options.onDefinition({ of, name, ...(agent === undefined ? {} : { agent }), line });
  }

  #reportProblem(message: string, position: ScriptPosition | undefined, toolCallId?: string): void {
    this.#options.onProblem({ message, ...position, phase: 'run', ...(toolCallId && { toolCallId }) });
  }

  #place(at: ScriptPosition | undefined): ScriptPosition | undefined {
    return at && this.#compiled?.locate(at);
  }

  #onWorkerEnd(reason: WorkerEnd): void {
    if (this.#options.signal.aborted) return this.#log.end({ outcome: 'stopped' });
    this.#fail(describeWorkerEnd(reason, this.#options.limits));
  }

  /**
   * Sends the script to its worker. If the model is ready, this happens in the same turn of the event loop, before the
   * page draws the run.
   */
  async #begin(): Promise<void> {
    this.#compiled = compileScript(this.#options.script);
    const given = this.#options.getModel();
    const model = checkModel(given instanceof Promise ? await given : given);
    if (this.#log.ended) return;
    this.#model = `${model.provider}:${model.modelId}`;
    this.#server = new ModelServer({
      model,
      limits: this.#options.limits,
      issued: this.#options.issued,
      secrets: this.#options.secrets(),
      send: (message) => this.#send(message),
    });
    this.#commands = createCommandLine(this.#send, this.#options.limits);
    const { input, messages, tasks, unfinishedCalls } = this.#options.request;
    await this.#runIn(this.#options.takeFrame(), {
      type: 'run',
      code: this.#compiled.code,
      input,
      messages,
      tasks,
      unfinishedCalls,
      model: { provider: model.provider, modelId: model.modelId },
    });
  }

  /**
   * Sends the script to a worker, and to another one if this one is gone: its process may have ended while it waited.
   */
  async #runIn(frame: WorkerFrame, message: ToWorker): Promise<void> {
    this.#frame = frame;
    // asked first: the script may keep the worker busy
    const answers = frame.answers();
    frame.open(this.#receive, this.#receive);
    this.#send(message);
    // a busy page may have read the answer too late, although the script runs
    if ((await answers) || this.#isHeard || this.#log.ended) return;
    frame.close();
    await this.#runIn(this.#options.takeFrame(), message);
  }
}

function checkModel(model: LanguageModel): LanguageModelV4 {
  if (typeof model === 'object' && model.specificationVersion === 'v4') return model;
  throw new CuelineError(
    'invalid_options',
    'The sandbox needs a model object of the AI SDK 7 (specification v4). Make one with resolveModel, or with a ' +
      'provider package of the same major version.',
  );
}

function tooMuch(excess: string): CuelineError {
  return new CuelineError(
    'too_large',
    `The run has ${excess}, so it was ended. Look for a loop in the script, or at what the model has answered.`,
    { details: { reason: 'too-much' } },
  );
}
