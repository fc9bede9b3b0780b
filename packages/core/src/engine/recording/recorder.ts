import type { FinishReason, TextStreamPart, ToolSet } from 'ai';
import { thrownName } from '../../base/error-source.ts';
import { CuelineError } from '../../base/errors.ts';
import type { RunEventBody, RunOutcome, TokenUsage } from '../../log/events.ts';
import { causeOf } from '../../messages/steer-cause.ts';
import { toRunError } from '../../models/run-error.ts';
import { contentFilteredError } from '../../provider/content-filtered-error.ts';
import { usageOfFailed } from '../../provider/failed-usage.ts';
import { timeLimitError } from '../../provider/timeout-options.ts';
import type { ModelRetry } from '../../provider/with-retries.ts';
import type { EventSink } from '../../tool-calls/run-context.ts';
import type { EarlyEnd, Ending } from '../ending.ts';
import type { PendingSteer } from '../steer.ts';
import { CallRecorder } from './call-recorder.ts';
import { metadata, answerSource, messageText, partsWithFile, warningText } from './read-part.ts';
import { usageToJson } from './usage-to-json.ts';

const NO_CONTENT =
  'The model ended its answer without a text. Run it again; if that recurs, say in the prompt what to answer.';

/** Turns the AI SDK's stream into events of the log, in an order in which they can be read. */
export type Recorder = {
  /** Records what happens to the tool calls of the current step. */
  readonly calls: CallRecorder;
  /** Records one part of the stream, as `onChunk` passes it. */
  part(part: TextStreamPart<ToolSet>): void;
  /** Records that a step is about to call the model. */
  stepStarted(event: Extract<RunEventBody, { type: 'step-start' }>): void;
  /** Records a message to the model before the AI SDK delivers it, which then is not recorded again. */
  steered(steer: PendingSteer): void;
  /** Ends the run, and drops later events. */
  end(outcome: RunOutcome, details?: { finishReason?: FinishReason; error?: CuelineError }): void;
  /** Notes that the caller's `stopWhen` ends the loop. */
  stopWhenMet(): void;
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

/** A call that waits for an approval, as it is in the AI SDK's stream. */
export type ApprovalRequestPart = Extract<TextStreamPart<ToolSet>, { type: 'tool-approval-request' }>;

export type RecorderSettings = {
  /**
   * Returns how many attempts at the step have failed just before a part. Missing if the AI SDK does not retry
   * after an error in a stream.
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
  /** Called with the tokens of a model call that is tried again. */
  onSpent?(usage: TokenUsage): void;
  /** Called with what a failed tool call threw, before the log has its error. */
  onToolError?(toolCallId: string, error: unknown): void;
  /** Returns the tools of the model. */
  tools: () => ToolSet;
  /**
   * Takes an approval that a provider asks for. False if it cannot be answered, and then the run ends as `waiting`.
   */
  askApproval(part: ApprovalRequestPart): boolean;
  /**
   * Returns why the run cannot end as done although the loop has ended: an error, or a pending answer. `early` is
   * what ended the loop, if it was not the model.
   */
  unfinished?: (early: EarlyEnd | undefined) => CuelineError | 'waiting' | undefined;
};

/** Creates the recorder of one run, or of one agent. */
export function createRecorder(log: EventSink, settings: RecorderSettings): Recorder {
  return new RunRecorder(log, settings);
}

/** What one run, or one agent of it, writes into the log from the parts of the AI SDK's stream. */
class RunRecorder implements Recorder {
  readonly #log: EventSink;
  readonly #settings: RecorderSettings;
  #stepOpen = false;
  #failure: CuelineError | undefined;
  /** Errors of the step's attempts so far. Each is logged before the parts of the next attempt. */
  #broken: CuelineError[] = [];
  #waiting = false;
  #isStopWhenMet = false;
  /** Messages to the model that are in the log before they are delivered. */
  readonly #steered = new Set<string>();
  readonly #warned = new Set<string>();
  /** True once the current step has a text or a file. */
  #hasContent = false;
  readonly calls: CallRecorder;

  constructor(log: EventSink, settings: RecorderSettings) {
    this.calls = new CallRecorder(log, settings);
    this.#log = log;
    this.#settings = settings;
  }

  end(outcome: RunOutcome, details: { finishReason?: FinishReason; error?: CuelineError } = {}): void {
    if (this.#log.ended) return;
    this.calls.stepStops();
    if (details.error !== undefined) this.#failure = details.error;
    this.#settings.onEnd({ outcome, ...details });
  }

  stopWhenMet(): void {
    this.#isStopWhenMet = true;
  }

  finish(finishReason: FinishReason): void {
    if (this.#failure !== undefined) return this.end('error', { finishReason, error: this.#failure });
    if (this.#waiting) return this.end('waiting', { finishReason });
    if (finishReason === 'interrupted') {
      const error = new CuelineError(
        'stream_truncated',
        'The answer is incomplete, because its stream ended early. Try again.',
      );
      return this.end('error', { finishReason, error });
    }
    if (finishReason === 'content-filter')
      return this.end('error', { finishReason, error: contentFilteredError() });
    if (finishReason === 'error') {
      const error = new CuelineError(
        'provider_error',
        'The model ended its answer with an unspecified error. Try again.',
      );
      return this.end('error', { finishReason, error });
    }
    const early = this.#isStopWhenMet ? 'stopWhen' : finishReason === 'tool-calls' ? 'call' : undefined;
    const unfinished = this.#settings.unfinished?.(early);
    if (unfinished === 'waiting') return this.end('waiting', { finishReason });
    if (unfinished !== undefined) return this.end('error', { finishReason, error: unfinished });
    const isOver = finishReason === 'stop' || finishReason === 'other';
    if (isOver && !this.#hasContent) this.#warn(NO_CONTENT);
    this.end('done', { finishReason });
  }

  fail(error: unknown): void {
    this.end('error', { error: this.#failure ?? this.#errorOf(error) });
  }

  part(part: TextStreamPart<ToolSet>): void {
    if (this.#settings.brokenBefore !== undefined) this.#retried(this.#settings.brokenBefore(part));
    switch (part.type) {
      case 'start-step':
        for (const warning of part.warnings) this.#warn(warningText(warning));
        return;
      case 'text-start':
      case 'reasoning-start':
        this.calls.textBegins();
        return this.#log.append({ type: part.type, id: part.id, ...metadata(part) });
      case 'reasoning-end':
        this.#log.append({ type: part.type, id: part.id, ...metadata(part) });
        return this.calls.textEnds();
      case 'text-end': {
        const { type, id, citations } = part;
        this.#log.append({
          type,
          id,
          ...(citations === undefined ? {} : { citations }),
          ...metadata(part),
        });
        return this.calls.textEnds();
      }
      case 'text-delta':
      case 'reasoning-delta': {
        if (part.type === 'text-delta' && part.text.trim() !== '') this.#hasContent = true;
        const delta = { type: part.type, id: part.id, text: part.text };
        return this.#log.append(
          part.providerMetadata === undefined ? delta : { ...delta, ...metadata(part) },
        );
      }
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-call':
      case 'tool-result':
      case 'tool-error':
      case 'tool-output-denied':
      case 'tool-approval-response':
        return this.calls.part(part);
      case 'tool-approval-request':
        if (part.isAutomatic !== true && !this.#settings.askApproval(part)) this.#waiting = true;
        return;
      case 'steering-message':
        if (this.#steered.delete(part.id)) return;
        return this.#log.append({
          type: 'steer',
          id: part.id,
          cause: causeOf(part.id),
          text: messageText(part.message.content),
          ...partsWithFile(part),
        });
      case 'source':
        return this.#log.append({ type: 'source', source: answerSource(part) });
      case 'custom':
        return this.#log.append({ type: 'custom', kind: part.kind, ...metadata(part) });
      case 'file':
      case 'reasoning-file':
        if (part.type === 'file') this.#hasContent = true;
        return this.#log.append({
          type: 'file',
          mediaType: part.file.mediaType,
          url: `data:${part.file.mediaType};base64,${part.file.base64}`,
          ...(part.type === 'reasoning-file' ? { reasoning: true } : {}),
          ...metadata(part),
        });
      case 'finish-step':
        this.#stepOpen = false;
        this.calls.stepEnds();
        return this.#log.append({
          type: 'step-end',
          step: this.calls.step,
          finishReason: part.finishReason,
          usage: usageToJson(part.usage),
          ...metadata(part),
        });
      case 'error':
        this.#broken.push(this.#errorOf(part.error));
        this.#failure ??= this.#broken[0]!;
        // an error inside a step ends with the step; one outside has nothing to wait for
        if (!this.#stepOpen) this.end('error', { error: this.#failure });
        return;
      case 'finish':
        return this.finish(part.finishReason);
      default:
    }
  }

  retries({ error, ...next }: ModelRetry): void {
    this.#retry(error, next);
  }

  steered(steer: PendingSteer): void {
    this.#steered.add(steer.id);
    this.#log.append({ type: 'steer', ...steer });
  }

  aborted(reason: unknown): void {
    const timedOut = thrownName(reason) === 'TimeoutError';
    if (timedOut) this.end('error', { error: this.#errorOf(reason) });
    else this.end('stopped');
  }

  stepStarted(event: Extract<RunEventBody, { type: 'step-start' }>): void {
    const step = event.step + (this.#settings.firstStep ?? 0);
    this.calls.beginStep(step);
    this.#stepOpen = true;
    this.#hasContent = false;
    this.#broken = [];
    this.#log.append({ ...event, step });
  }

  get failure(): CuelineError | undefined {
    return this.#failure;
  }

  /** Adds a warning once. Providers repeat theirs at every step. */
  #warn(message: string): void {
    if (this.#warned.has(message)) return;
    this.#warned.add(message);
    this.#log.append({ type: 'warning', message });
  }

  /** Records that a model call has failed. Its tokens are spent. */
  #retry(error: CuelineError, next: Omit<ModelRetry, 'error'> | object = {}): void {
    const usage = usageOfFailed(error);
    this.#hasContent = false;
    if (usage !== undefined) this.#settings.onSpent?.(usage);
    this.#log.append({
      type: 'retry',
      error: error.toJSON(),
      ...next,
      ...(usage === undefined ? {} : { usage: usageToJson(usage) }),
    });
  }

  /** Voids the parts of earlier attempts. An error that has come meanwhile belongs to this attempt. */
  #retried(attempts: number): void {
    for (const error of this.#broken.splice(0, attempts)) {
      this.#retry(error);
      this.#failure = this.#broken[0];
    }
  }

  #errorOf(error: unknown): CuelineError {
    return timeLimitError(error) ?? toRunError(error, this.#settings.secrets);
  }
}
