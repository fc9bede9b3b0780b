import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { LanguageModel } from 'ai';
import {
  CuelineError,
  LOG_VERSION,
  type EditReply,
  type ApprovalResponse,
  type ClientToolResponse,
  type RunCommand,
  type RunEvent,
  type RunEventBody,
  type RunRequest,
  type SerializedError,
} from '@cueline/core';
import { createEventCounter } from '@cueline/core/link';
import { toRunError } from '@cueline/core/models';
import { redactKeys } from '../../model/redact-keys.ts';
import { createSlices } from '../slices.ts';
import type { SandboxLimits } from '../limits.ts';
import { encodeMessage, type ConsoleLevel, type ToWorker } from '../protocol.ts';
import { compileScript, type CompiledScript } from '../script/compile-script.ts';
import type { DefinitionLine } from '../script/definition.ts';
import { ScriptError, type ScriptPosition } from '../script/script-error.ts';
import { attributeError } from './attribute-error.ts';
import type { Cell, CellEnd } from './cell.ts';
import { createCommandLine, type CommandLine } from './command-line.ts';
import { describeCellEnd } from './describe-cell-end.ts';
import type { IssuedMetadata } from './issued-metadata.ts';
import { readEvent, readMessage, type ReadMessage } from './read-message.ts';
import { createModelServer, type ModelServer } from './model-server.ts';

/** An error of a script, with its position if that is known. */
export type ScriptProblem = {
  message: string;
  line?: number;
  column?: number;
  phase: 'compile' | 'run';
  /** The tool call in which it was thrown; the run continues, and the model reads the error. */
  toolCallId?: string;
};

export type SandboxRunOptions = {
  script: string;
  request: Pick<RunRequest, 'input' | 'messages' | 'tasks' | 'unfinishedCalls'>;
  signal: AbortSignal;
  limits: SandboxLimits;
  issued: IssuedMetadata;
  getModel: () => Promise<LanguageModel>;
  secrets: () => readonly string[];
  takeCell: () => Promise<Cell>;
  onEvent: (event: RunEvent) => void;
  onProblem: (problem: ScriptProblem) => void;
  onConsole: (level: ConsoleLevel, text: string) => void;
  /** Called with each line that a definition is made on, up to the limit. */
  onDefinition: (definition: DefinitionLine) => void;
};

/** A run that is under way in the sandbox. */
export type SandboxRun = {
  /** Sends a command to the run. Never rejects: if there is no answer, the reply says why. */
  send(command: RunCommand): Promise<EditReply>;
};

/**
 * Runs a script once. `onEvent` gets a complete log: it begins with `run-start`, and ends with exactly one `run-end`.
 */
export function startSandboxRun(options: SandboxRunOptions): SandboxRun {
  return new ScriptRun(options);
}

/** One run of a script: what the worker sends becomes a log that the page vouches for. */
class ScriptRun implements SandboxRun {
  readonly #options: SandboxRunOptions;
  readonly #signal;
  readonly #limits;
  readonly #onEvent;
  readonly #onProblem;
  readonly #launchedAt = performance.now();
  readonly #countEvent;
  #startedAt = 0;
  #seq = 0;
  #lastTime = 0;
  #ended = false;
  #facts = { model: '' };
  #definitions = 0;
  #cell: Cell | undefined;
  #server: ModelServer | undefined;
  #commands: CommandLine | undefined;
  #compiled: CompiledScript | undefined;
  #graceTimer: ReturnType<typeof setTimeout> | undefined;
  /** The user's responses, by the ids of approvals and client tool calls. */
  readonly #approvalResponses = new Map<string, ApprovalResponse>();
  readonly #clientToolResponses = new Map<string, ClientToolResponse>();
  /** Messages of the worker that the page has not read yet: many events are read in slices. */
  readonly #inbox: (string | CellEnd)[] = [];
  #isReading = false;

  constructor(options: SandboxRunOptions) {
    this.#options = options;
    this.#signal = options.signal;
    this.#limits = options.limits;
    this.#onEvent = options.onEvent;
    this.#onProblem = options.onProblem;
    this.#countEvent = createEventCounter(options.limits);
    options.signal.addEventListener('abort', this.#stop, { once: true });
    if (options.signal.aborted) this.#stop();
    else this.#begin().catch(this.#failToBegin);
  }

  /** Numbers the events here, so that the log is complete whatever the worker sends. */
  #write(body: RunEventBody, time: number): void {
    if (this.#ended) return;
    if (this.#seq === 0 && body.type !== 'run-start')
      this.#write(ownStart(this.#facts.model, this.#options.request), 0);
    // a worker has one run, which does not continue after its end
    if (body.type === 'run-resume' || (this.#seq > 0 && body.type === 'run-start')) return;
    if (this.#seq === 0) this.#startedAt = performance.now();
    this.#lastTime = Math.max(this.#lastTime, time);
    this.#ended = body.type === 'run-end';
    this.#onEvent({ ...body, seq: this.#seq++, t: this.#lastTime });
    if (this.#ended) this.#cleanUp();
  }

  #end(body: Omit<Extract<RunEventBody, { type: 'run-end' }>, 'type'>): void {
    this.#write({ type: 'run-end', ...body }, this.#seq === 0 ? 0 : performance.now() - this.#startedAt);
  }

  #fail(error: unknown, position?: ScriptPosition): void {
    const json = toRunError(error, this.#options.secrets()).toJSON();
    this.#end({
      outcome: 'error',
      error: position === undefined ? json : { ...json, details: { ...json.details, ...position } },
    });
  }

  #cleanUp(): void {
    clearTimeout(this.#graceTimer);
    this.#signal.removeEventListener('abort', this.#stop);
    this.#server?.close();
    this.#commands?.close();
    this.#cell?.close();
  }

  readonly #stop = (): void => {
    if (this.#cell === undefined) return this.#end({ outcome: 'stopped' });
    this.#send({ type: 'stop' });
    this.#server?.close();
    this.#graceTimer = setTimeout(() => this.#end({ outcome: 'stopped' }), this.#limits.grace);
  };

  readonly #send = (message: ToWorker): void =>
    this.#cell?.send(redactKeys(encodeMessage(message), this.#options.secrets()));

  #attributed(error: SerializedError): SerializedError {
    return attributeError(error, this.#server?.failures ?? []);
  }

  /** The page itself knows the model, the user's message and the failures: the worker could claim anything. */
  #attribute(event: RunEvent): RunEvent {
    switch (event.type) {
      case 'run-start': {
        const { simulated: _claimed, input: _input, ...start } = event;
        const { input } = this.#options.request;
        return { ...start, ...modelFacts(this.#facts.model), ...(input === undefined ? {} : { input }) };
      }
      case 'step-start':
        return event.request.model === undefined
          ? event
          : { ...event, request: { ...event.request, model: this.#facts.model } };
      case 'agent-start':
        return { ...event, model: this.#facts.model };
      // a response that the user did not give becomes a withdrawal
      case 'approval-response': {
        const response = this.#approvalResponses.get(event.approvalId);
        const { seq: at, t, approvalId, agent } = event;
        if (response !== undefined) return { ...event, response };
        return { seq: at, t, type: 'approval-withdraw', approvalId, ...(agent !== undefined && { agent }) };
      }
      case 'client-tool-response': {
        const response = this.#clientToolResponses.get(event.clientCallId);
        const { seq: at, t, clientCallId, agent } = event;
        if (response !== undefined) return { ...event, response };
        return {
          seq: at,
          t,
          type: 'client-tool-withdraw',
          clientCallId,
          ...(agent !== undefined && { agent }),
        };
      }
      case 'agent-end':
      case 'run-end':
        return event.error === undefined ? event : { ...event, error: this.#attributed(event.error) };
      default:
        return event;
    }
  }

  readonly #receive = (sent: string | CellEnd): void => {
    this.#inbox.push(sent);
    if (!this.#isReading) void this.#readInbox();
  };

  async #readInbox(): Promise<void> {
    this.#isReading = true;
    const pause = createSlices();
    try {
      for (let sent = this.#inbox.shift(); sent !== undefined; sent = this.#inbox.shift()) {
        if (typeof sent === 'string') await this.#readText(sent, pause);
        else this.#onCellEnd(sent);
      }
    } finally {
      this.#isReading = false;
    }
  }

  async #readText(text: string, pause: () => Promise<void> | undefined): Promise<void> {
    const message = this.#ended ? undefined : readMessage(text);
    if (message?.type !== 'events') return message && this.#take(message);
    for (const value of message.events) {
      if (this.#ended) return;
      this.#readOne(value);
      const turn = pause();
      if (turn !== undefined) await turn;
    }
  }

  #readOne(value: unknown): void {
    const event = readEvent(value);
    if (event === undefined) return;
    const excess = this.#countEvent(event);
    if (excess !== undefined) return this.#fail(tooMuch(excess));
    // No event can be later than now.
    this.#write(this.#attribute(event), Math.min(event.t, performance.now() - this.#launchedAt));
  }

  #take(message: Exclude<ReadMessage, { type: 'events' }>): void {
    switch (message.type) {
      case 'failed': {
        // what is wrong with the input is not at a line of the script
        const position =
          message.error.code === 'invalid_input'
            ? undefined
            : (this.#place(message.at) ?? this.#compiled?.defaultExport);
        if (position !== undefined) this.#tell(message.error.message, position);
        return this.#fail(CuelineError.fromJSON(this.#attributed(message.error)), position);
      }
      case 'problem':
        return this.#tell(message.message, this.#place(message.at), message.toolCallId);
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
    if (this.#definitions > this.#limits.definitions) return;
    this.#options.onDefinition({ of, name, ...(agent === undefined ? {} : { agent }), line });
  }

  #tell(message: string, position: ScriptPosition | undefined, toolCallId?: string): void {
    this.#onProblem({ message, ...position, phase: 'run', ...(toolCallId && { toolCallId }) });
  }

  #place(at: ScriptPosition | undefined): ScriptPosition | undefined {
    return at && this.#compiled?.locate(at);
  }

  #onCellEnd(reason: CellEnd): void {
    if (this.#signal.aborted) return this.#end({ outcome: 'stopped' });
    this.#fail(describeCellEnd(reason, this.#limits));
  }

  async #begin(): Promise<void> {
    this.#compiled = compileScript(this.#options.script);
    const model = checkModel(await this.#options.getModel());
    if (this.#ended) return;
    this.#facts = { model: `${model.provider}:${model.modelId}` };
    this.#server = createModelServer({
      model,
      limits: this.#limits,
      issued: this.#options.issued,
      secrets: this.#options.secrets(),
      send: (message) => this.#send(message),
    });
    this.#commands = createCommandLine(this.#send, this.#limits);
    const taken = await this.#options.takeCell();
    if (this.#ended) return taken.close();
    this.#cell = taken;
    this.#cell.open(this.#receive, this.#receive);
    const { input, messages, tasks, unfinishedCalls } = this.#options.request;
    this.#send({
      type: 'run',
      code: this.#compiled.code,
      input,
      messages,
      tasks,
      unfinishedCalls,
      model: { provider: model.provider, modelId: model.modelId },
    });
  }

  readonly #failToBegin = (error: unknown): void => {
    if (!(error instanceof ScriptError)) return this.#fail(error);
    const position =
      error.line === undefined
        ? undefined
        : { line: error.line, ...(error.column && { column: error.column }) };
    this.#onProblem({ message: error.message, ...position, phase: 'compile' });
    this.#fail(new CuelineError('script_error', error.message), position);
  };

  async send(command: RunCommand): Promise<EditReply> {
    if (command.type === 'approval-response')
      this.#approvalResponses.set(command.approvalId, command.response);
    if (command.type === 'client-tool-response') {
      this.#clientToolResponses.set(command.clientCallId, command.response);
    }
    return (await this.#commands?.send(command)) ?? { accepted: false, reason: 'The run has not begun.' };
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
    `The script made ${excess} in one run, so it was ended. Look for a loop that adds them without end.`,
    { details: { reason: 'too-much' } },
  );
}

/** The start of a run whose worker never reported it. */
function ownStart(model: string, request: SandboxRunOptions['request']): RunEventBody {
  const id = crypto.getRandomValues(new Uint32Array(2)).join('');
  return {
    type: 'run-start',
    v: LOG_VERSION,
    runId: `run-${id}`,
    ...modelFacts(model),
    ...(request.input === undefined ? {} : { input: request.input }),
    messages: [...(request.messages ?? [])],
    messageId: `msg-${id}`,
  };
}

/** The model, as a `run-start` names it. */
function modelFacts(model: string): { model: string; simulated?: boolean } {
  return { model, ...(model.startsWith('simulated:') ? { simulated: true } : {}) };
}
