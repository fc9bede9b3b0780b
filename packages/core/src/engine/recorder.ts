import type { SettlingRules } from '../tools/tool-types.ts';
import type { FinishReason, TextStreamPart, ToolSet } from 'ai';
import { invalidCallSource, sourceOf } from '../base/error-source.ts';
import { CuelineError, type ErrorSource } from '../base/errors.ts';
import type { RunEventBody, RunOutcome } from '../log/events.ts';
import { redact } from '../json/redact.ts';
import { toRunError } from '../models/run-error.ts';
import { callFacts, metadata, sourceFacts, textOf, warningText } from './read-part.ts';
import { causeOf } from '../messages/steer-cause.ts';
import { contentFiltered } from '../provider/content-filtered.ts';
import { toJson } from '../messages/to-json.ts';
import type { ModelRetry } from '../provider/with-retries.ts';
import { toolErrorText } from '../tools/tool-error-text.ts';
import type { PendingSteer } from './steer.ts';
import type { EventSink } from '../tool-calls/run-context.ts';

/** How long a tool waits for its call to come through the stream, in milliseconds. */
const CALL_MS = 50;

/** Turns the AI SDK's stream into events of the log, in an order in which they can be read. */
export type Recorder = {
  /** Records one part of the stream, as `onChunk` passes it. */
  part(part: TextStreamPart<ToolSet>): void;
  /** Records that a step is about to call the model. */
  stepStarted(event: Extract<RunEventBody, { type: 'step-start' }>): void;
  /**
   * Resolves once a tool's call is in the log. The AI SDK runs a tool before its call has come through the stream,
   * and a
   * caller's transform may hold the call back for long, so this waits only a moment.
   */
  toolCalled(toolCallId: string): Promise<void> | undefined;
  /** Records that a tool starts to run. */
  toolStarted(toolCallId: string, toolName: string, rules: SettlingRules): void;
  /**
   * Records that the model's answer is whole, once its calls are in the log. Without it, a run that another process
   * continues asks the model again.
   */
  answered(event: WholeAnswer): void;
  /** Records a message to the model before the AI SDK delivers it, which then is not recorded again. */
  steered(steer: PendingSteer): void;
  /** Records that calls of an earlier run, which are in the log already, are made now. */
  resumed(toolCallIds: readonly string[]): void;
  /** Returns the text of an error that the model reads, without keys. */
  errorText(error: unknown): string;
  /** The number of the current step; -1 before the first. */
  readonly step: number;
  /** Records how long a tool ran. Its result comes through the stream, after the preliminary ones. */
  toolTimed(toolCallId: string, ms: number): void;
  /** Records that a call was answered with the result of the same call before. */
  toolRepeated(toolCallId: string): void;
  /** Ends the run, and drops whatever comes later. */
  end(outcome: RunOutcome, details?: { finishReason?: FinishReason; error?: CuelineError }): void;
  /** Ends the run according to the last step's finish reason. */
  finish(finishReason: FinishReason): void;
  /** Ends the run with a thrown value. */
  fail(error: unknown): void;
  /** Records that the model call was aborted, by a time limit or because the run was stopped. */
  aborted(reason: unknown): void;
  /** Records that a model call has failed and is tried again. */
  retries(retry: ModelRetry): void;
  /** The error that the run has failed with, or will fail with when its step ends. */
  readonly failure: CuelineError | undefined;
};

/** The end of a run or an agent. */
export type Ending = { outcome: RunOutcome; finishReason?: FinishReason; error?: CuelineError };

/** The end of a model call, before its tools run. */
export type WholeAnswer = Pick<
  Extract<RunEventBody, { type: 'model-call-end' }>,
  'finishReason' | 'usage'
> & {
  readonly content: readonly { type: string; toolCallId?: string; providerExecuted?: boolean | undefined }[];
};

/** A call that waits for an approval, as it is in the AI SDK's stream. */
export type ApprovalRequest = Extract<TextStreamPart<ToolSet>, { type: 'tool-approval-request' }>;

export type RecorderSettings = {
  /**
   * Returns how many attempts at the step have broken off just before a part. Missing if the AI SDK does not retry
   * after an error
   * in a stream.
   */
  brokenBefore: ((part: TextStreamPart<ToolSet>) => number) | undefined;
  /** True if no tool may run before the log says that the answer is whole. */
  logsAnswers?: boolean;
  /** The number of the first step. Default 0. */
  firstStep?: number;
  /** Keys that no error in the log may repeat. */
  secrets: readonly string[];
  /** Writes the end into the log, as that of a run or of an agent. Called once. */
  onEnd(ending: Ending): void;
  /** Called with what a failed tool call threw, before the log has its error. */
  onToolError?(toolCallId: string, error: unknown): void;
  /** Returns the tools of the model. */
  tools: () => ToolSet;
  /**
   * Takes an approval that a provider asks for. False if it cannot be answered, and then the run ends as `waiting`.
   */
  askApproval(part: ApprovalRequest): boolean;
  /** Returns why the run cannot end as done although the model has finished: an error, or a pending answer. */
  unfinished?: () => CuelineError | 'waiting' | undefined;
};

export function createRecorder(log: EventSink, settings: RecorderSettings): Recorder {
  return new RunRecorder(log, settings);
}

/** What one run, or one agent of it, writes into the log from the parts of the AI SDK's stream. */
class RunRecorder implements Recorder {
  readonly #log: EventSink;
  readonly #settings: RecorderSettings;
  #step = -1;
  #stepOpen = false;
  #failure: CuelineError | undefined;
  /** The whole answer of the step, until its calls are in the log. */
  #answer: { body: Extract<RunEventBody, { type: 'model-call-end' }>; calls: readonly string[] } | undefined;
  #answerLogged = false;
  /** Texts that are arriving. */
  #openBlocks = 0;
  /** Calls of an earlier process, which have been in the log since. */
  readonly #resumed = new Set<string>();
  /** Errors of the step's attempts so far. Each is logged before the parts of the next attempt. */
  #broken: CuelineError[] = [];
  #waiting = false;
  /** Messages to the model that are in the log before they are delivered. */
  readonly #steered = new Set<string>();
  readonly #warned = new Set<string>();
  // of the current step, because some models number their calls anew in every answer
  /** Tool calls whose arguments are in the log, so that their tools' events may follow. */
  readonly #called = new Set<string>();
  /** Tools that started before that. */
  readonly #early = new Map<string, SettlingRules>();
  /** Tools that wait until their calls are in the log. */
  readonly #waitingTools = new Map<string, () => void>();
  readonly #durations = new Map<string, number>();
  /** Calls that cannot run, and the source of their error. */
  readonly #invalid = new Map<string, ErrorSource>();
  readonly #repeated = new Set<string>();
  /** The reasons for calls that were denied without an approval request. */
  readonly #denials = new Map<string, string>();

  constructor(log: EventSink, settings: RecorderSettings) {
    this.#log = log;
    this.#settings = settings;
  }

  end(outcome: RunOutcome, details: { finishReason?: FinishReason; error?: CuelineError } = {}): void {
    if (this.#log.ended) return;
    if (details.error !== undefined) this.#failure = details.error;
    this.#settings.onEnd({ outcome, ...details });
  }

  toolStarted(toolCallId: string, toolName: string, { effect, idempotent }: SettlingRules): void {
    const rules = {
      ...(effect === undefined ? {} : { effect }),
      ...(idempotent === true ? { idempotent } : {}),
    };
    if (this.#called.has(toolCallId)) {
      this.#log.append({ type: 'tool-start', toolCallId, toolName, ...rules });
    } else this.#early.set(toolCallId, rules);
  }

  /** Returns how long the tool ran, if it ran here. */
  #duration(toolCallId: string): { ms?: number } {
    const ms = this.#durations.get(toolCallId);
    return ms === undefined ? {} : { ms };
  }

  /** Returns whether a tool is dynamic. As in the AI SDK's UI messages, a known tool decides that itself. */
  #kindOf<Part extends { toolName: string; dynamic?: boolean | undefined }>(part: Part): Part {
    const tools = this.#settings.tools();
    if (!Object.hasOwn(tools, part.toolName)) return part;
    return { ...part, dynamic: tools[part.toolName]?.type === 'dynamic' };
  }

  errorText(error: unknown): string {
    return redact(toolErrorText(error), this.#settings.secrets);
  }

  /** Notes the error of a call that cannot run, because the AI SDK repeats it as a text. */
  #noteInvalid({ toolCallId, error }: { toolCallId: string; error?: unknown }): ErrorSource {
    const source = invalidCallSource(error);
    this.#invalid.set(toolCallId, source);
    return source;
  }

  #toolCalled(part: Extract<TextStreamPart<ToolSet>, { type: 'tool-call' }>): void {
    this.#log.append({
      type: 'tool-input-end',
      toolCallId: part.toolCallId,
      toolName: part.toolName,
      input: toJson(part.input, this.#settings.secrets),
      ...(part.invalid === true
        ? { invalid: this.errorText(part.error), source: this.#noteInvalid(part) }
        : {}),
      ...callFacts(this.#kindOf(part)),
    });
    this.#called.add(part.toolCallId);
    if (this.#settings.logsAnswers !== true) this.#waitingTools.get(part.toolCallId)?.();
    this.#logAnswer();
    const early = this.#early.get(part.toolCallId);
    if (early === undefined) return;
    this.#early.delete(part.toolCallId);
    this.toolStarted(part.toolCallId, part.toolName, early);
  }

  answered({ finishReason, usage, content }: WholeAnswer): void {
    const calls = content.flatMap(({ type, toolCallId, providerExecuted }) =>
      type === 'tool-call' && toolCallId !== undefined && providerExecuted !== true ? [toolCallId] : [],
    );
    // a step without calls ends at once
    if (calls.length === 0) return;
    const body = { type: 'model-call-end', finishReason, usage: toJson(usage) as typeof usage } as const;
    this.#answer = { body, calls };
    this.#logAnswer();
  }

  /** Logs the end of the model call, once everything before it is in the log. */
  #logAnswer(): void {
    const answer = this.#answer;
    if (answer === undefined || this.#openBlocks > 0) return;
    if (!answer.calls.every((id) => this.#called.has(id))) return;
    this.#answer = undefined;
    this.#answerLogged = true;
    this.#log.append(answer.body);
    for (const go of this.#waitingTools.values()) go();
  }

  /** Adds a warning once. Providers repeat theirs at every step. */
  #warn(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.#log.append({ type: 'warning', message });
  }

  /** Voids the parts of earlier attempts. An error that has come meanwhile belongs to this attempt. */
  #retried(attempts: number): void {
    for (const error of this.#broken.splice(0, attempts)) {
      this.#log.append({ type: 'retry', error: error.toJSON() });
      this.#failure = this.#broken[0];
    }
  }

  finish(finishReason: FinishReason): void {
    if (this.#failure !== undefined) return this.end('error', { finishReason, error: this.#failure });
    if (this.#waiting) return this.end('waiting', { finishReason });
    if (finishReason === 'interrupted') {
      const error = new CuelineError(
        'stream_truncated',
        'The answer broke off before its end, so it is not whole. Try again.',
      );
      return this.end('error', { finishReason, error });
    }
    if (finishReason === 'content-filter')
      return this.end('error', { finishReason, error: contentFiltered() });
    if (finishReason === 'error') {
      const error = new CuelineError(
        'provider_error',
        'The model ended its answer with an error and did not say which.',
      );
      return this.end('error', { finishReason, error });
    }
    const unfinished = this.#settings.unfinished?.();
    if (unfinished === 'waiting') return this.end('waiting', { finishReason });
    if (unfinished !== undefined) return this.end('error', { finishReason, error: unfinished });
    this.end('done', { finishReason });
  }

  fail(error: unknown): void {
    this.end('error', { error: this.#failure ?? toRunError(error, this.#settings.secrets) });
  }

  part(part: TextStreamPart<ToolSet>): void {
    if (this.#settings.brokenBefore !== undefined) this.#retried(this.#settings.brokenBefore(part));
    switch (part.type) {
      case 'start-step':
        for (const warning of part.warnings) this.#warn(warningText(warning));
        return;
      case 'text-start':
      case 'reasoning-start':
        this.#openBlocks += 1;
        return this.#log.append({ type: part.type, id: part.id, ...metadata(part) });
      case 'reasoning-end':
        this.#log.append({ type: part.type, id: part.id, ...metadata(part) });
        return this.#blockEnded();
      case 'text-end': {
        const { type, id, citations } = part;
        this.#log.append({
          type,
          id,
          ...(citations === undefined ? {} : { citations }),
          ...metadata(part),
        });
        return this.#blockEnded();
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const delta = { type: part.type, id: part.id, text: part.text };
        return this.#log.append(
          part.providerMetadata === undefined ? delta : { ...delta, ...metadata(part) },
        );
      }
      case 'tool-input-start':
        return this.#log.append({
          type: part.type,
          toolCallId: part.id,
          toolName: part.toolName,
          ...(part.inputEncoding === undefined ? {} : { inputEncoding: part.inputEncoding }),
          ...callFacts(this.#kindOf(part)),
        });
      case 'tool-input-delta':
        return this.#log.append({ type: part.type, toolCallId: part.id, delta: part.delta });
      case 'tool-call':
        return this.#toolCalled(part);
      case 'tool-result':
        return this.#toolReturned(part);
      case 'tool-error':
        return this.#toolFailed(part);
      case 'tool-output-denied':
        return this.#log.append({
          type: 'tool-error',
          toolCallId: part.toolCallId,
          error: this.#denials.get(part.toolCallId) ?? 'This call was not approved.',
          // the reason is meant to be read
          source: 'cueline',
        });
      case 'tool-approval-request':
        if (part.isAutomatic !== true && !this.#settings.askApproval(part)) this.#waiting = true;
        return;
      case 'tool-approval-response': {
        const { approvalId, approved, reason, toolCall } = part;
        const { toolCallId } = toolCall;
        if (!approved && reason !== undefined) this.#denials.set(toolCallId, reason);
        const why = reason === undefined ? {} : { reason };
        return this.#log.append({ type: 'approval-automatic', toolCallId, approvalId, approved, ...why });
      }
      case 'steering-message':
        if (this.#steered.delete(part.id)) return;
        return this.#log.append({
          type: 'steer',
          id: part.id,
          cause: causeOf(part.id),
          text: textOf(part.message.content),
        });
      case 'source':
        return this.#log.append({ type: 'source', source: sourceFacts(part) });
      case 'custom':
        return this.#log.append({ type: 'custom', kind: part.kind, ...metadata(part) });
      case 'file':
      case 'reasoning-file':
        return this.#log.append({
          type: 'file',
          mediaType: part.file.mediaType,
          url: `data:${part.file.mediaType};base64,${part.file.base64}`,
          ...(part.type === 'reasoning-file' ? { reasoning: true } : {}),
          ...metadata(part),
        });
      case 'finish-step':
        this.#stepOpen = false;
        return this.#log.append({
          type: 'step-end',
          step: this.#step,
          finishReason: part.finishReason,
          usage: toJson(part.usage) as typeof part.usage,
          ...metadata(part),
        });
      case 'error':
        this.#broken.push(toRunError(part.error, this.#settings.secrets));
        this.#failure ??= this.#broken[0]!;
        // an error inside a step ends with the step; one outside has nothing to wait for
        if (!this.#stepOpen) this.end('error', { error: this.#failure });
        return;
      case 'finish':
        return this.finish(part.finishReason);
      default:
    }
  }

  #toolReturned(part: Extract<TextStreamPart<ToolSet>, { type: 'tool-result' }>): void {
    const { toolCallId } = part;
    const output = toJson(part.output, this.#settings.secrets);
    if (part.preliminary === true) return this.#log.append({ type: 'tool-preliminary', toolCallId, output });
    this.#log.append({
      type: 'tool-end',
      toolCallId,
      output,
      ...this.#duration(toolCallId),
      ...(this.#repeated.has(toolCallId) ? { repeated: true as const } : {}),
      ...callFacts(part),
    });
  }

  #toolFailed(part: Extract<TextStreamPart<ToolSet>, { type: 'tool-error' }>): void {
    const { toolCallId } = part;
    const error = this.errorText(part.error);
    this.#settings.onToolError?.(toolCallId, part.error);
    this.#log.append({
      type: 'tool-error',
      toolCallId,
      error,
      source:
        this.#invalid.get(toolCallId) ??
        sourceOf(part.error, part.providerExecuted === true ? 'model' : 'tool'),
      ...this.#duration(toolCallId),
      ...callFacts(part),
    });
  }

  #blockEnded(): void {
    this.#openBlocks -= 1;
    this.#logAnswer();
  }

  toolCalled(toolCallId: string): Promise<void> | undefined {
    if (this.#resumed.has(toolCallId)) return undefined;
    if (this.#settings.logsAnswers === true) return this.#untilAnswerLogged(toolCallId);
    if (this.#called.has(toolCallId)) return undefined;
    return new Promise((resolve) => {
      const go = (): void => {
        clearTimeout(timer);
        this.#waitingTools.delete(toolCallId);
        resolve();
      };
      const timer = setTimeout(go, CALL_MS);
      this.#waitingTools.set(toolCallId, go);
    });
  }

  #untilAnswerLogged(toolCallId: string): Promise<void> | undefined {
    if (this.#answerLogged) return undefined;
    return new Promise((resolve) => this.#waitingTools.set(toolCallId, resolve));
  }

  retries({ error, ...next }: ModelRetry): void {
    this.#log.append({ type: 'retry', error: error.toJSON(), ...next });
  }

  steered(steer: PendingSteer): void {
    this.#steered.add(steer.id);
    this.#log.append({ type: 'steer', ...steer });
  }

  resumed(toolCallIds: readonly string[]): void {
    for (const toolCallId of toolCallIds) {
      this.#called.add(toolCallId);
      this.#resumed.add(toolCallId);
    }
  }

  get step(): number {
    return this.#step;
  }

  toolTimed(toolCallId: string, ms: number): void {
    this.#durations.set(toolCallId, ms);
  }

  toolRepeated(toolCallId: string): void {
    this.#repeated.add(toolCallId);
  }

  aborted(reason: unknown): void {
    const timedOut = reason instanceof Error && reason.name === 'TimeoutError';
    if (timedOut) this.end('error', { error: toRunError(reason, this.#settings.secrets) });
    else this.end('stopped');
  }

  stepStarted(event: Extract<RunEventBody, { type: 'step-start' }>): void {
    this.#step = event.step + (this.#settings.firstStep ?? 0);
    this.#stepOpen = true;
    this.#answer = undefined;
    this.#answerLogged = false;
    this.#openBlocks = 0;
    this.#waitingTools.clear();
    this.#resumed.clear();
    this.#broken = [];
    this.#called.clear();
    this.#early.clear();
    this.#durations.clear();
    this.#invalid.clear();
    this.#repeated.clear();
    this.#denials.clear();
    this.#log.append({ ...event, step: this.#step });
  }

  get failure(): CuelineError | undefined {
    return this.#failure;
  }
}
