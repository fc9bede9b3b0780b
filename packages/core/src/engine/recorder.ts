import type { FinishReason, TextStreamPart, ToolSet } from 'ai';
import { invalidCallSource, sourceOf } from '../base/error-source.ts';
import { CuelineError, type ErrorSource } from '../base/errors.ts';
import type { RunEventBody, RunOutcome } from '../log/events.ts';
import type { ToolEffect } from '../tools/tool-definition.ts';
import { redact } from '../json/redact.ts';
import { toRunError } from '../models/run-error.ts';
import { callFacts, metadata, sourceFacts, textOf, warningText } from './part-facts.ts';
import { causeOf } from '../messages/steer-cause.ts';
import { contentFiltered } from '../provider/content-filtered.ts';
import { toJson } from '../messages/to-json.ts';
import type { ModelRetry } from '../provider/with-retries.ts';
import { toolErrorText } from '../tools/tool-error-text.ts';
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
  toolStarted(toolCallId: string, toolName: string, effect: ToolEffect | undefined): void;
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

/** A call that waits for an approval, as it is in the AI SDK's stream. */
export type ApprovalRequest = Extract<TextStreamPart<ToolSet>, { type: 'tool-approval-request' }>;

export type RecorderSettings = {
  /**
   * Returns how many attempts at the step have broken off just before a part. Missing if the AI SDK does not retry
   * after an error
   * in a stream.
   */
  brokenBefore: ((part: TextStreamPart<ToolSet>) => number) | undefined;
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
  let step = -1;
  let stepOpen = false;
  let failure: CuelineError | undefined;
  /** Errors of the step's attempts so far. Each is logged before the parts of the next attempt. */
  let broken: CuelineError[] = [];
  let waiting = false;
  const warned = new Set<string>();
  // of the current step, because some models number their calls anew in every answer
  /** Tool calls whose arguments are in the log, so that their tools' events may follow. */
  const called = new Set<string>();
  /** Tools that started before that. */
  const early = new Map<string, ToolEffect | undefined>();
  /** Tools that wait until their calls are in the log. */
  const waitingTools = new Map<string, () => void>();
  const durations = new Map<string, number>();
  /** Calls that cannot run, and the source of their error. */
  const invalid = new Map<string, ErrorSource>();
  const repeated = new Set<string>();
  /** The reasons for calls that were denied without an approval request. */
  const denials = new Map<string, string>();

  function end(
    outcome: RunOutcome,
    details: { finishReason?: FinishReason; error?: CuelineError } = {},
  ): void {
    if (log.ended) return;
    if (details.error !== undefined) failure = details.error;
    settings.onEnd({ outcome, ...details });
  }

  function toolStarted(toolCallId: string, toolName: string, effect: ToolEffect | undefined): void {
    const said = effect === undefined ? {} : { effect };
    if (called.has(toolCallId)) log.append({ type: 'tool-start', toolCallId, toolName, ...said });
    else early.set(toolCallId, effect);
  }

  /** Returns how long the tool ran, if it ran here. */
  function duration(toolCallId: string): { ms?: number } {
    const ms = durations.get(toolCallId);
    return ms === undefined ? {} : { ms };
  }

  /** Returns whether a tool is dynamic. As in the AI SDK's UI messages, a known tool decides that itself. */
  function kindOf<Part extends { toolName: string; dynamic?: boolean | undefined }>(part: Part): Part {
    const tools = settings.tools();
    if (!Object.hasOwn(tools, part.toolName)) return part;
    return { ...part, dynamic: tools[part.toolName]?.type === 'dynamic' };
  }

  function errorText(error: unknown): string {
    return redact(toolErrorText(error), settings.secrets);
  }

  /** Notes the error of a call that cannot run, because the AI SDK repeats it as a text. */
  function noteInvalid({ toolCallId, error }: { toolCallId: string; error?: unknown }): ErrorSource {
    const source = invalidCallSource(error);
    invalid.set(toolCallId, source);
    return source;
  }

  function toolCalled(part: Extract<TextStreamPart<ToolSet>, { type: 'tool-call' }>): void {
    log.append({
      type: 'tool-input-end',
      toolCallId: part.toolCallId,
      toolName: part.toolName,
      input: toJson(part.input, settings.secrets),
      ...(part.invalid === true ? { invalid: errorText(part.error), source: noteInvalid(part) } : {}),
      ...callFacts(kindOf(part)),
    });
    called.add(part.toolCallId);
    waitingTools.get(part.toolCallId)?.();
    const effect = early.get(part.toolCallId);
    if (early.delete(part.toolCallId)) toolStarted(part.toolCallId, part.toolName, effect);
  }

  /** Adds a warning once. Providers repeat theirs at every step. */
  function warn(message: string): void {
    if (warned.has(message)) return;
    warned.add(message);
    log.append({ type: 'warning', message });
  }

  /** Voids the parts of earlier attempts. An error that has come meanwhile belongs to this attempt. */
  function retried(attempts: number): void {
    for (const error of broken.splice(0, attempts)) {
      log.append({ type: 'retry', error: error.toJSON() });
      failure = broken[0];
    }
  }

  function finish(finishReason: FinishReason): void {
    if (failure !== undefined) return end('error', { finishReason, error: failure });
    if (waiting) return end('waiting', { finishReason });
    if (finishReason === 'interrupted') {
      const error = new CuelineError(
        'stream_truncated',
        'The answer broke off before its end, so it is not whole. Try again.',
      );
      return end('error', { finishReason, error });
    }
    if (finishReason === 'content-filter') return end('error', { finishReason, error: contentFiltered() });
    if (finishReason === 'error') {
      const error = new CuelineError(
        'provider_error',
        'The model ended its answer with an error and did not say which.',
      );
      return end('error', { finishReason, error });
    }
    const unfinished = settings.unfinished?.();
    if (unfinished === 'waiting') return end('waiting', { finishReason });
    if (unfinished !== undefined) return end('error', { finishReason, error: unfinished });
    end('done', { finishReason });
  }

  function fail(error: unknown): void {
    end('error', { error: failure ?? toRunError(error, settings.secrets) });
  }

  function part(part: TextStreamPart<ToolSet>): void {
    if (settings.brokenBefore !== undefined) retried(settings.brokenBefore(part));
    switch (part.type) {
      case 'start-step':
        for (const warning of part.warnings) warn(warningText(warning));
        return;
      case 'text-start':
      case 'reasoning-start':
      case 'reasoning-end':
        return log.append({ type: part.type, id: part.id, ...metadata(part) });
      case 'text-end': {
        const { type, id, citations } = part;
        return log.append({ type, id, ...(citations === undefined ? {} : { citations }), ...metadata(part) });
      }
      case 'text-delta':
      case 'reasoning-delta': {
        const delta = { type: part.type, id: part.id, text: part.text };
        return log.append(part.providerMetadata === undefined ? delta : { ...delta, ...metadata(part) });
      }
      case 'tool-input-start':
        return log.append({
          type: part.type,
          toolCallId: part.id,
          toolName: part.toolName,
          ...(part.inputEncoding === undefined ? {} : { inputEncoding: part.inputEncoding }),
          ...callFacts(kindOf(part)),
        });
      case 'tool-input-delta':
        return log.append({ type: part.type, toolCallId: part.id, delta: part.delta });
      case 'tool-call':
        return toolCalled(part);
      case 'tool-result': {
        const { toolCallId } = part;
        const output = toJson(part.output, settings.secrets);
        if (part.preliminary === true) return log.append({ type: 'tool-preliminary', toolCallId, output });
        return log.append({
          type: 'tool-end',
          toolCallId,
          output,
          ...duration(toolCallId),
          ...(repeated.has(toolCallId) ? { repeated: true as const } : {}),
          ...callFacts(part),
        });
      }
      case 'tool-error': {
        const { toolCallId } = part;
        const error = errorText(part.error);
        settings.onToolError?.(toolCallId, part.error);
        const isProviders = part.providerExecuted === true;
        return log.append({
          type: 'tool-error',
          toolCallId,
          error,
          source: invalid.get(toolCallId) ?? sourceOf(part.error, isProviders ? 'model' : 'tool'),
          ...duration(toolCallId),
          ...callFacts(part),
        });
      }
      case 'tool-output-denied':
        return log.append({
          type: 'tool-error',
          toolCallId: part.toolCallId,
          error: denials.get(part.toolCallId) ?? 'This call was not approved.',
          // the reason is meant to be read
          source: 'cueline',
        });
      case 'tool-approval-request':
        if (part.isAutomatic !== true && !settings.askApproval(part)) waiting = true;
        return;
      case 'tool-approval-response': {
        const { approvalId, approved, reason, toolCall } = part;
        const { toolCallId } = toolCall;
        if (!approved && reason !== undefined) denials.set(toolCallId, reason);
        const why = reason === undefined ? {} : { reason };
        return log.append({ type: 'approval-automatic', toolCallId, approvalId, approved, ...why });
      }
      case 'steering-message':
        return log.append({
          type: 'steer',
          id: part.id,
          cause: causeOf(part.id),
          text: textOf(part.message.content),
        });
      case 'source':
        return log.append({ type: 'source', source: sourceFacts(part) });
      case 'custom':
        return log.append({ type: 'custom', kind: part.kind, ...metadata(part) });
      case 'file':
      case 'reasoning-file':
        return log.append({
          type: 'file',
          mediaType: part.file.mediaType,
          url: `data:${part.file.mediaType};base64,${part.file.base64}`,
          ...(part.type === 'reasoning-file' ? { reasoning: true } : {}),
          ...metadata(part),
        });
      case 'finish-step':
        stepOpen = false;
        return log.append({
          type: 'step-end',
          step,
          finishReason: part.finishReason,
          usage: toJson(part.usage) as typeof part.usage,
          ...metadata(part),
        });
      case 'error':
        broken.push(toRunError(part.error, settings.secrets));
        failure ??= broken[0]!;
        // an error inside a step ends with the step; one outside has nothing to wait for
        if (!stepOpen) end('error', { error: failure });
        return;
      case 'finish':
        return finish(part.finishReason);
      default:
    }
  }

  return {
    part,
    toolCalled(toolCallId) {
      if (called.has(toolCallId)) return undefined;
      return new Promise((resolve) => {
        const go = (): void => {
          clearTimeout(timer);
          waitingTools.delete(toolCallId);
          resolve();
        };
        const timer = setTimeout(go, CALL_MS);
        waitingTools.set(toolCallId, go);
      });
    },
    retries({ error, ...next }) {
      log.append({ type: 'retry', error: error.toJSON(), ...next });
    },
    toolStarted,
    resumed(toolCallIds) {
      for (const toolCallId of toolCallIds) called.add(toolCallId);
    },
    errorText,
    get step() {
      return step;
    },
    toolTimed: (toolCallId, ms) => void durations.set(toolCallId, ms),
    toolRepeated: (toolCallId) => void repeated.add(toolCallId),
    end,
    finish,
    fail,
    aborted(reason) {
      const timedOut = reason instanceof Error && reason.name === 'TimeoutError';
      if (timedOut) end('error', { error: toRunError(reason, settings.secrets) });
      else end('stopped');
    },
    stepStarted(event) {
      step = event.step;
      stepOpen = true;
      broken = [];
      called.clear();
      early.clear();
      durations.clear();
      invalid.clear();
      repeated.clear();
      denials.clear();
      log.append(event);
    },
    get failure() {
      return failure;
    },
  };
}
