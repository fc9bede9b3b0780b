import type { UIMessageChunk } from 'ai';
import { isRecord } from '../base/is-record.ts';
import type { RunEvent, ToolCallMetadata } from '../log/events.ts';
import { steeringPart } from '../log/message.ts';
import { UNANSWERED, WITHDRAWN } from '../log/pending.ts';
import { noLogError } from '../wire/check-is-log.ts';

type ToolEvent = Extract<
  RunEvent,
  {
    type:
      | 'tool-input-start'
      | 'tool-input-delta'
      | 'tool-input-end'
      | 'tool-preliminary'
      | 'tool-end'
      | 'tool-error';
  }
>;

/**
 * Translates events into the AI SDK's UI message chunks, one event after the other. A stock `useChat`, AI Elements or
 * `readUIMessageStream` can read what comes out. Returns the translation of one event: none, one or several chunks.
 */
export function createUIMessageTranslator(): (event: RunEvent) => UIMessageChunk[] {
  const translator = new Translator();
  return (event) => translator.translate(event);
}

/** The translation of one run, event by event. */
class Translator {
  #stepStarted = true;
  /** The calls of the run itself that wait for the page, by the ids of their approvals or client tool calls. */
  readonly #pending = new Map<string, { toolCallId: string; providerExecuted: boolean }>();
  /** Calls that were refused, so that their errors are no failures. */
  readonly #denied = new Set<string>();

  translate(event: RunEvent): UIMessageChunk[] {
    // the text of an agent is not part of the answer, which has the agent's result as the tool's output
    if (event.agent !== undefined) return [];
    switch (event.type) {
      case 'run-start':
        return [{ type: 'start', messageId: event.messageId }];
      case 'step-start':
        this.#stepStarted = false;
        return [];
      case 'step-end':
        return this.#inStep({ type: 'finish-step' });
      case 'retry': {
        if (!this.#stepStarted || event.attempt !== undefined) return [];
        this.#stepStarted = false;
        // a client cannot remove parts, so a void attempt is a step of its own, with a mark
        return [{ type: 'data-retry', data: { code: event.error.code } }, { type: 'finish-step' }];
      }
      case 'text-start':
      case 'reasoning-start':
      case 'reasoning-end':
        return this.#inStep({ type: event.type, id: event.id, ...metadata(event) });
      case 'text-end': {
        const { type, id, citations } = event;
        return this.#inStep({
          type,
          id,
          ...(citations === undefined ? {} : { citations }),
          ...metadata(event),
        });
      }
      case 'text-delta':
      case 'reasoning-delta':
        return this.#inStep({ type: event.type, id: event.id, delta: event.text, ...metadata(event) });
      case 'custom':
        return this.#inStep({ type: 'custom', kind: event.kind, ...metadata(event) });
      case 'tool-input-start':
      case 'tool-input-delta':
      case 'tool-input-end':
      case 'tool-preliminary':
      case 'tool-end':
      case 'tool-error':
        return this.#ofTool(event);
      case 'approval-automatic': {
        const { toolCallId, approvalId, approved, reason } = event;
        if (!approved) this.#denied.add(toolCallId);
        return [
          ...this.#inStep({ type: 'tool-approval-request', approvalId, toolCallId, isAutomatic: true }),
          responseChunk(approvalId, approved, reason),
        ];
      }
      case 'approval-request': {
        const { approvalId, toolCallId, reason, providerExecuted = false } = event;
        this.#pending.set(approvalId, { toolCallId, providerExecuted });
        return this.#inStep({
          type: 'tool-approval-request',
          approvalId,
          toolCallId,
          ...(reason === undefined ? {} : { reason }),
        });
      }
      case 'approval-response':
        return this.#responded(event);
      case 'approval-withdraw': {
        const call = this.#pending.get(event.approvalId);
        this.#pending.delete(event.approvalId);
        return call === undefined ? [] : [toolErrorChunk(call.toolCallId, WITHDRAWN)];
      }
      // the client has the call of a client tool as soon as its arguments are complete, and it ends with its output
      case 'client-tool-request':
        this.#pending.set(event.clientCallId, { toolCallId: event.toolCallId, providerExecuted: false });
        return [];
      case 'client-tool-response':
      case 'client-tool-withdraw':
        this.#pending.delete(event.clientCallId);
        return [];
      case 'steer':
        return [steeringPart(event)];
      case 'source': {
        const { sourceType, id, ...rest } = event.source;
        return this.#inStep({ type: `source-${sourceType}`, sourceId: id, ...rest } as UIMessageChunk);
      }
      case 'file':
        return this.#inStep({
          type: event.reasoning === true ? 'reasoning-file' : 'file',
          mediaType: event.mediaType,
          url: event.url,
          ...metadata(event),
        });
      case 'run-end': {
        const open = event.outcome === 'waiting' ? [] : [...this.#pending.values()];
        const unanswered = open.map(({ toolCallId }) => toolErrorChunk(toolCallId, UNANSWERED));
        return [...unanswered, ...endChunks(event)];
      }
      default:
        return [];
    }
  }

  /** `start-step` is sent with the first part of the step, as in the AI SDK. */
  #inStep(chunk: UIMessageChunk): UIMessageChunk[] {
    if (this.#stepStarted) return [chunk];
    this.#stepStarted = true;
    return [{ type: 'start-step' }, chunk];
  }

  #ofTool(event: ToolEvent): UIMessageChunk[] {
    switch (event.type) {
      case 'tool-input-start':
        this.#denied.delete(event.toolCallId);
        return this.#inStep({
          type: 'tool-input-start',
          toolCallId: event.toolCallId,
          toolName: event.toolName,
          ...(event.inputEncoding === undefined ? {} : { inputEncoding: event.inputEncoding }),
          ...callMetadata(event),
        });
      case 'tool-input-delta':
        return this.#inStep({
          type: 'tool-input-delta',
          toolCallId: event.toolCallId,
          inputTextDelta: event.delta,
        });
      case 'tool-input-end': {
        const { toolCallId, toolName, input } = event;
        this.#denied.delete(toolCallId);
        if (event.invalid === undefined) {
          return this.#inStep({
            type: 'tool-input-available',
            toolCallId,
            toolName,
            input,
            ...callMetadata(event),
          });
        }
        return this.#inStep({
          type: 'tool-input-error',
          toolCallId,
          toolName,
          input,
          errorText: event.invalid,
          ...callMetadata(event),
        });
      }
      case 'tool-preliminary':
      case 'tool-end':
        return this.#inStep({
          type: 'tool-output-available',
          toolCallId: event.toolCallId,
          output: event.output === undefined ? null : event.output,
          ...outputMetadata(event),
          ...(event.type === 'tool-preliminary' ? { preliminary: true } : {}),
        });
      default:
        if (this.#denied.delete(event.toolCallId)) {
          return this.#inStep({ type: 'tool-output-denied', toolCallId: event.toolCallId });
        }
        return this.#inStep({
          type: 'tool-output-error',
          toolCallId: event.toolCallId,
          errorText: event.error,
          ...outputMetadata(event),
        });
    }
  }

  #responded(event: Extract<RunEvent, { type: 'approval-response' }>): UIMessageChunk[] {
    const { approvalId, response } = event;
    const call = this.#pending.get(approvalId);
    this.#pending.delete(approvalId);
    if (call === undefined) return [];
    const { toolCallId } = call;
    const { approved } = response;
    const chunk = responseChunk(approvalId, approved, response.approved ? undefined : response.reason);
    if (approved) return [chunk];
    this.#denied.add(toolCallId);
    return call.providerExecuted ? [chunk, { type: 'tool-output-denied', toolCallId }] : [chunk];
  }
}

/**
 * A run's events, a stored log or a live one, as the AI SDK's UI message stream.
 * @throws CuelineError `invalid_options` for anything else, such as the run itself
 */
export function toUIMessageStream(
  events: Iterable<RunEvent> | AsyncIterable<RunEvent>,
): ReadableStream<UIMessageChunk> {
  if (!isIterable(events)) throw noLogError('toUIMessageStream', events);
  const translate = createUIMessageTranslator();
  const iterator =
    Symbol.asyncIterator in events ? events[Symbol.asyncIterator]() : events[Symbol.iterator]();
  return new ReadableStream<UIMessageChunk>({
    async pull(controller) {
      // an event may have no translation, and a pull that enqueues nothing is not repeated
      while (true) {
        const next = await iterator.next();
        if (next.done === true) return controller.close();
        const chunks = translate(next.value);
        for (const chunk of chunks) controller.enqueue(chunk);
        if (chunks.length > 0) return;
      }
    },
    async cancel() {
      await iterator.return?.();
    },
  });
}

function isIterable(events: unknown): boolean {
  return isRecord(events)
    ? Symbol.asyncIterator in events || Symbol.iterator in events
    : Array.isArray(events);
}

function endChunks(event: Extract<RunEvent, { type: 'run-end' }>): UIMessageChunk[] {
  switch (event.outcome) {
    case 'stopped':
      // the AI SDK's chat ignores `abort`, and sends nothing automatically after `interrupted`
      return [{ type: 'abort' }, { type: 'finish', finishReason: 'interrupted' }];
    case 'error':
      return [{ type: 'error', errorText: event.error?.message ?? 'The run failed.' }];
    default:
      return [
        { type: 'finish', ...(event.finishReason === undefined ? {} : { finishReason: event.finishReason }) },
      ];
  }
}

/** A call that has failed. */
export function toolErrorChunk(toolCallId: string, errorText: string): UIMessageChunk {
  return { type: 'tool-output-error', toolCallId, errorText };
}

function responseChunk(approvalId: string, approved: boolean, reason: string | undefined): UIMessageChunk {
  return {
    type: 'tool-approval-response',
    approvalId,
    approved,
    ...(reason === undefined ? {} : { reason }),
  };
}

function metadata(event: { providerMetadata?: unknown }): { providerMetadata?: never } {
  return event.providerMetadata === undefined ? {} : { providerMetadata: event.providerMetadata as never };
}

function outputMetadata(
  event: ToolCallMetadata,
): Pick<ToolCallMetadata, 'providerExecuted' | 'dynamic' | 'toolMetadata'> {
  return {
    ...(event.providerExecuted === undefined ? {} : { providerExecuted: event.providerExecuted }),
    ...(event.dynamic === undefined ? {} : { dynamic: event.dynamic }),
    ...(event.toolMetadata === undefined ? {} : { toolMetadata: event.toolMetadata }),
    ...metadata(event),
  };
}

function callMetadata(event: ToolCallMetadata): ToolCallMetadata {
  return { ...outputMetadata(event), ...(event.title === undefined ? {} : { title: event.title }) };
}
