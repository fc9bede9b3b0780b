import type { TextStreamPart, ToolSet } from 'ai';
import { invalidCallSource, sourceOf } from '../../base/error-source.ts';
import type { ErrorSource } from '../../base/errors.ts';
import { redact } from '../../json/redact.ts';
import type { RunEventBody } from '../../log/events.ts';
import { toJson } from '../../messages/to-json.ts';
import type { ToolCallRecorder } from '../../tool-calls/pipeline-tool.ts';
import type { EventSink, StepRecorder } from '../../tool-calls/run-context.ts';
import { toolErrorText } from '../../tools/tool-error-text.ts';
import type { SettlingRules } from '../../tools/tool-types.ts';
import { callMetadata } from './read-part.ts';
import { usageToJson } from './usage-to-json.ts';

/** How long a tool waits for its call to come through the stream, in milliseconds. */
const CALL_MS = 50;

/** The end of a model call, before its tools run. */
export type CompletedAnswer = Pick<
  Extract<RunEventBody, { type: 'model-call-end' }>,
  'finishReason' | 'usage'
> & {
  readonly content: readonly { type: string; toolCallId?: string; providerExecuted?: boolean | undefined }[];
};

/** The parts of the AI SDK's stream that are about tool calls. */
type CallPart = Extract<
  TextStreamPart<ToolSet>,
  {
    type:
      | 'tool-input-start'
      | 'tool-input-delta'
      | 'tool-call'
      | 'tool-result'
      | 'tool-error'
      | 'tool-output-denied'
      | 'tool-approval-response';
  }
>;

type CallRecorderSettings = {
  /** True if no tool may run before the log says that the answer is whole. */
  logsAnswers?: boolean;
  /** Keys that no error in the log may repeat. */
  secrets: readonly string[];
  /** Called with what a failed tool call threw, before the log has its error. */
  onToolError?(toolCallId: string, error: unknown): void;
  /** Returns the tools of the model. */
  tools: () => ToolSet;
};

/**
 * Records the tool calls of one run, or of one agent. The AI SDK runs a tool before its call has come through the
 * stream; the log has the call first, and the end of the model's answer before its tools if `logsAnswers`. Otherwise
 * the log has the end of an answer only if its step does not end.
 */
export class CallRecorder implements ToolCallRecorder, StepRecorder {
  readonly #log: EventSink;
  readonly #settings: CallRecorderSettings;
  #step = -1;
  /** The whole answer of the step, until it is in the log, or the step has ended. */
  #answer: { body: Extract<RunEventBody, { type: 'model-call-end' }>; calls: readonly string[] } | undefined;
  #answerLogged = false;
  /** Texts that are arriving. */
  #openTexts = 0;
  /** Calls of an earlier process, which have been in the log since. */
  readonly #resumed = new Set<string>();
  // for the current step only, because some models number their calls anew in every answer
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

  constructor(log: EventSink, settings: CallRecorderSettings) {
    this.#log = log;
    this.#settings = settings;
  }

  get step(): number {
    return this.#step;
  }

  /** Forgets the calls of the step before. */
  beginStep(step: number): void {
    this.#step = step;
    this.#answer = undefined;
    this.#answerLogged = false;
    this.#openTexts = 0;
    this.#waitingTools.clear();
    this.#resumed.clear();
    this.#called.clear();
    this.#early.clear();
    this.#durations.clear();
    this.#invalid.clear();
    this.#repeated.clear();
    this.#denials.clear();
  }

  /** Records one part of the stream that is about a tool call. */
  part(part: CallPart): void {
    switch (part.type) {
      case 'tool-input-start':
        return this.#log.append({
          type: part.type,
          toolCallId: part.id,
          toolName: part.toolName,
          ...(part.inputEncoding === undefined ? {} : { inputEncoding: part.inputEncoding }),
          ...callMetadata(this.#kindOf(part)),
        });
      case 'tool-input-delta':
        return this.#log.append({ type: part.type, toolCallId: part.id, delta: part.delta });
      case 'tool-call':
        return this.#inputEnds(part);
      case 'tool-result':
        return this.#returned(part);
      case 'tool-error':
        return this.#failed(part);
      case 'tool-output-denied':
        return this.#log.append({
          type: 'tool-error',
          toolCallId: part.toolCallId,
          error: this.#denials.get(part.toolCallId) ?? 'This call was not approved.',
          // the reason is written for the reader
          source: 'cueline',
        });
      case 'tool-approval-response': {
        const { approvalId, approved, reason, toolCall } = part;
        const { toolCallId } = toolCall;
        if (!approved && reason !== undefined) this.#denials.set(toolCallId, reason);
        const why = reason === undefined ? {} : { reason };
        return this.#log.append({ type: 'approval-automatic', toolCallId, approvalId, approved, ...why });
      }
    }
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

  toolStarted(toolCallId: string, toolName: string, { effect, idempotent }: SettlingRules): void {
    const rules = {
      ...(effect === undefined ? {} : { effect }),
      ...(idempotent === true ? { idempotent } : {}),
    };
    if (this.#called.has(toolCallId)) {
      this.#log.append({ type: 'tool-start', toolCallId, toolName, ...rules });
    } else this.#early.set(toolCallId, rules);
  }

  toolTimed(toolCallId: string, ms: number): void {
    this.#durations.set(toolCallId, ms);
  }

  toolRepeated(toolCallId: string): void {
    this.#repeated.add(toolCallId);
  }

  /** Records that calls of an earlier run, which are in the log already, are made now. */
  resumed(toolCallIds: readonly string[]): void {
    for (const toolCallId of toolCallIds) {
      this.#called.add(toolCallId);
      this.#resumed.add(toolCallId);
    }
  }

  /**
   * Receives the end of the model's answer. With `logsAnswers`, records it once the calls of the answer are in the log.
   * Without it, a run that another process continues asks the model again.
   */
  answered({ finishReason, usage, content }: CompletedAnswer): void {
    const calls = content.flatMap(({ type, toolCallId, providerExecuted }) =>
      type === 'tool-call' && toolCallId !== undefined && providerExecuted !== true ? [toolCallId] : [],
    );
    // a step without calls ends at once
    if (calls.length === 0) return;
    const body = { type: 'model-call-end', finishReason, usage: usageToJson(usage) } as const;
    this.#answer = { body, calls };
    if (this.#settings.logsAnswers === true) this.#logAnswer();
  }

  /** The step has ended, and its end has the tokens of the answer. */
  stepEnds(): void {
    this.#answer = undefined;
  }

  stepStops(): void {
    this.#logAnswer();
  }

  /** Records that a text or reasoning begins. The answer is complete only after its end. */
  textBegins(): void {
    this.#openTexts += 1;
  }

  textEnds(): void {
    this.#openTexts -= 1;
    if (this.#settings.logsAnswers === true) this.#logAnswer();
  }

  /** Returns the text of an error that the model reads, without keys. */
  errorText(error: unknown): string {
    return redact(toolErrorText(error), this.#settings.secrets);
  }

  #untilAnswerLogged(toolCallId: string): Promise<void> | undefined {
    if (this.#answerLogged) return undefined;
    return new Promise((resolve) => this.#waitingTools.set(toolCallId, resolve));
  }

  #inputEnds(part: Extract<TextStreamPart<ToolSet>, { type: 'tool-call' }>): void {
    this.#log.append({
      type: 'tool-input-end',
      toolCallId: part.toolCallId,
      toolName: part.toolName,
      input: toJson(part.input, this.#settings.secrets),
      ...(part.invalid === true
        ? { invalid: this.errorText(part.error), source: this.#noteInvalid(part) }
        : {}),
      ...callMetadata(this.#kindOf(part)),
    });
    this.#called.add(part.toolCallId);
    if (this.#settings.logsAnswers === true) this.#logAnswer();
    else this.#waitingTools.get(part.toolCallId)?.();
    const early = this.#early.get(part.toolCallId);
    if (early === undefined) return;
    this.#early.delete(part.toolCallId);
    this.toolStarted(part.toolCallId, part.toolName, early);
  }

  #returned(part: Extract<TextStreamPart<ToolSet>, { type: 'tool-result' }>): void {
    const { toolCallId } = part;
    const output = toJson(part.output, this.#settings.secrets);
    if (part.preliminary === true) return this.#log.append({ type: 'tool-preliminary', toolCallId, output });
    this.#log.append({
      type: 'tool-end',
      toolCallId,
      output,
      ...this.#duration(toolCallId),
      ...(this.#repeated.has(toolCallId) ? { repeated: true as const } : {}),
      ...callMetadata(part),
    });
  }

  #failed(part: Extract<TextStreamPart<ToolSet>, { type: 'tool-error' }>): void {
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
      ...callMetadata(part),
    });
  }

  /** Logs the end of the model call, once everything before it is in the log. */
  #logAnswer(): void {
    const answer = this.#answer;
    if (answer === undefined || this.#openTexts > 0) return;
    if (!answer.calls.every((id) => this.#called.has(id))) return;
    this.#answer = undefined;
    this.#answerLogged = true;
    this.#log.append(answer.body);
    for (const go of this.#waitingTools.values()) go();
  }

  /** Notes the error of a call that cannot run, because the AI SDK repeats it as a text. */
  #noteInvalid({ toolCallId, error }: { toolCallId: string; error?: unknown }): ErrorSource {
    const source = invalidCallSource(error);
    this.#invalid.set(toolCallId, source);
    return source;
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
}
