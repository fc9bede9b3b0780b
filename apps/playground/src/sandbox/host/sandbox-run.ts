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
import { createSlices } from '../../state/slices.ts';
import type { SandboxLimits } from '../limits.ts';
import { encodeMessage, type ConsoleLevel, type ToWorker } from '../protocol.ts';
import { compileScript, type CompiledScript } from '../script/compile-script.ts';
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
  request: Pick<RunRequest, 'input' | 'messages' | 'tasks'>;
  signal: AbortSignal;
  limits: SandboxLimits;
  issued: IssuedMetadata;
  getModel: () => Promise<LanguageModel>;
  secrets: () => readonly string[];
  takeCell: () => Promise<Cell>;
  onEvent: (event: RunEvent) => void;
  onProblem: (problem: ScriptProblem) => void;
  onConsole: (level: ConsoleLevel, text: string) => void;
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
  const { signal, limits, onEvent, onProblem } = options;
  const launchedAt = performance.now();
  const countEvent = createEventCounter(limits);
  let startedAt = 0;
  let seq = 0;
  let lastTime = 0;
  let ended = false;
  let facts = { model: '' };
  let cell: Cell | undefined;
  let server: ModelServer | undefined;
  let commands: CommandLine | undefined;
  let compiled: CompiledScript | undefined;
  let graceTimer: ReturnType<typeof setTimeout> | undefined;

  /** Numbers the events here, so that the log is complete whatever the worker sends. */
  const write = (body: RunEventBody, time: number): void => {
    if (ended) return;
    if (seq === 0 && body.type !== 'run-start') write(ownStart(facts.model, options.request), 0);
    // a worker has one run, which does not continue after its end
    if (body.type === 'run-resume' || (seq > 0 && body.type === 'run-start')) return;
    if (seq === 0) startedAt = performance.now();
    lastTime = Math.max(lastTime, time);
    ended = body.type === 'run-end';
    onEvent({ ...body, seq: seq++, t: lastTime });
    if (ended) cleanUp();
  };
  const end = (body: Omit<Extract<RunEventBody, { type: 'run-end' }>, 'type'>): void =>
    write({ type: 'run-end', ...body }, seq === 0 ? 0 : performance.now() - startedAt);
  const fail = (error: unknown, position?: ScriptPosition): void => {
    const json = toRunError(error, options.secrets()).toJSON();
    end({
      outcome: 'error',
      error: position === undefined ? json : { ...json, details: { ...json.details, ...position } },
    });
  };
  const cleanUp = (): void => {
    clearTimeout(graceTimer);
    signal.removeEventListener('abort', stop);
    server?.close();
    commands?.close();
    cell?.close();
  };

  const stop = (): void => {
    if (cell === undefined) return end({ outcome: 'stopped' });
    send({ type: 'stop' });
    server?.close();
    graceTimer = setTimeout(() => end({ outcome: 'stopped' }), limits.grace);
  };

  const send = (message: ToWorker): void => cell?.send(redact(encodeMessage(message), options.secrets()));

  const attributed = (error: SerializedError): SerializedError =>
    attributeError(error, server?.failures ?? []);
  /** The user's responses, by the ids of approvals and client tool calls. */
  const approvalResponses = new Map<string, ApprovalResponse>();
  const clientToolResponses = new Map<string, ClientToolResponse>();
  /** The page itself knows the model, the user's message and the failures: the worker could claim anything. */
  const attribute = (event: RunEvent): RunEvent => {
    switch (event.type) {
      case 'run-start': {
        const { simulated: _claimed, ...start } = event;
        return { ...start, ...modelFacts(facts.model) };
      }
      case 'step-start':
        return event.request.model === undefined
          ? event
          : { ...event, request: { ...event.request, model: facts.model } };
      case 'agent-start':
        return { ...event, model: facts.model };
      // a response that the user did not give becomes a withdrawal
      case 'approval-response': {
        const response = approvalResponses.get(event.approvalId);
        const { seq: at, t, approvalId, agent } = event;
        if (response !== undefined) return { ...event, response };
        return { seq: at, t, type: 'approval-withdraw', approvalId, ...(agent !== undefined && { agent }) };
      }
      case 'client-tool-response': {
        const response = clientToolResponses.get(event.clientCallId);
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
        return event.error === undefined ? event : { ...event, error: attributed(event.error) };
      default:
        return event;
    }
  };

  /** Messages of the worker that the page has not read yet: many events are read in slices. */
  const inbox: (string | CellEnd)[] = [];
  let isReading = false;
  const receive = (sent: string | CellEnd): void => {
    inbox.push(sent);
    if (!isReading) void readInbox();
  };
  const readInbox = async (): Promise<void> => {
    isReading = true;
    const pause = createSlices();
    try {
      for (let sent = inbox.shift(); sent !== undefined; sent = inbox.shift()) {
        if (typeof sent === 'string') await readText(sent, pause);
        else onCellEnd(sent);
      }
    } finally {
      isReading = false;
    }
  };
  const readText = async (text: string, pause: () => Promise<void> | undefined): Promise<void> => {
    const message = ended ? undefined : readMessage(text);
    if (message?.type !== 'events') return message && take(message);
    for (const value of message.events) {
      if (ended) return;
      readOne(value);
      const turn = pause();
      if (turn !== undefined) await turn;
    }
  };

  const readOne = (value: unknown): void => {
    const event = readEvent(value);
    if (event === undefined) return;
    const excess = countEvent(event);
    if (excess !== undefined) return fail(tooMuch(excess));
    // No event can be later than now.
    write(attribute(event), Math.min(event.t, performance.now() - launchedAt));
  };

  const take = (message: Exclude<ReadMessage, { type: 'events' }>): void => {
    switch (message.type) {
      case 'failed': {
        const position = place(message.at) ?? compiled?.defaultExport;
        tell(message.error.message, position);
        return fail(CuelineError.fromJSON(attributed(message.error)), position);
      }
      case 'problem':
        return tell(message.message, place(message.at), message.toolCallId);
      case 'console':
        return options.onConsole(message.level, message.text);
      case 'reply':
        return commands?.receive(message);
      case 'model-call':
      case 'model-credit':
      case 'model-abort':
        return server?.receive(message);
      default:
    }
  };

  const tell = (message: string, position: ScriptPosition | undefined, toolCallId?: string): void =>
    onProblem({ message, ...position, phase: 'run', ...(toolCallId && { toolCallId }) });
  const place = (at: ScriptPosition | undefined): ScriptPosition | undefined => at && compiled?.locate(at);

  const onCellEnd = (reason: CellEnd): void => {
    if (signal.aborted) return end({ outcome: 'stopped' });
    fail(describeCellEnd(reason, limits));
  };

  const begin = async (): Promise<void> => {
    compiled = compileScript(options.script);
    const model = checkModel(await options.getModel());
    if (ended) return;
    facts = { model: `${model.provider}:${model.modelId}` };
    server = createModelServer({
      model,
      limits,
      issued: options.issued,
      secrets: options.secrets(),
      send: (message) => send(message),
    });
    commands = createCommandLine(send, limits);
    const taken = await options.takeCell();
    if (ended) return taken.close();
    cell = taken;
    cell.open(receive, receive);
    const { input, messages, tasks } = options.request;
    send({
      type: 'run',
      code: compiled.code,
      input,
      messages,
      tasks,
      model: { provider: model.provider, modelId: model.modelId },
    });
  };

  const run: SandboxRun = {
    send: async (command) => {
      if (command.type === 'approval-response') approvalResponses.set(command.approvalId, command.response);
      if (command.type === 'client-tool-response') {
        clientToolResponses.set(command.clientCallId, command.response);
      }
      return (await commands?.send(command)) ?? { accepted: false, reason: 'The run has not begun.' };
    },
  };

  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) {
    stop();
    return run;
  }
  begin().catch((error: unknown) => {
    if (!(error instanceof ScriptError)) return fail(error);
    const position =
      error.line === undefined
        ? undefined
        : { line: error.line, ...(error.column && { column: error.column }) };
    onProblem({ message: error.message, ...position, phase: 'compile' });
    fail(new CuelineError('script_error', error.message), position);
  });
  return run;
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

/** Removes keys from a text for the worker, however they came into it. */
function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((result, secret) => {
    const written = JSON.stringify(secret).slice(1, -1);
    // Nothing this short is a key; replacing it would damage texts that only happen to contain it.
    return written.length < 8 ? result : result.replaceAll(written, '[redacted]');
  }, text);
}

/** The model, as a `run-start` names it. */
function modelFacts(model: string): { model: string; simulated?: boolean } {
  return { model, ...(model.startsWith('simulated:') ? { simulated: true } : {}) };
}
