import type { UIMessageChunk } from 'ai';
import type { RunEvent, ToolCallFacts } from './events.ts';
import { steeringPart } from './message.ts';

/**
 * Translates events into the AI SDK's UI message chunks, one event after the other. A stock `useChat`, AI Elements or
 * `readUIMessageStream` can read what comes out. Returns the translation of one event: none, one or several chunks.
 */
export function createUIMessageTranslator(): (event: RunEvent) => UIMessageChunk[] {
  let stepStarted = true;

  /** `start-step` goes out with the first thing that the step says, as the AI SDK does it. */
  function inStep(chunk: UIMessageChunk): UIMessageChunk[] {
    if (stepStarted) return [chunk];
    stepStarted = true;
    return [{ type: 'start-step' }, chunk];
  }

  return (event) => {
    // what an agent says is no part of the answer, which has the agent's result as its tool's output
    if (event.agent !== undefined) return [];
    switch (event.type) {
      case 'run-start':
        return [{ type: 'start', messageId: event.messageId }];
      case 'step-start':
        stepStarted = false;
        return [];
      case 'step-end':
        return inStep({ type: 'finish-step' });
      case 'text-start':
      case 'text-end':
      case 'reasoning-start':
      case 'reasoning-end':
        return inStep({ type: event.type, id: event.id, ...metadata(event) });
      case 'text-delta':
      case 'reasoning-delta':
        return inStep({ type: event.type, id: event.id, delta: event.text, ...metadata(event) });
      case 'tool-input-start':
        return inStep({
          type: 'tool-input-start',
          toolCallId: event.toolCallId,
          toolName: event.toolName,
          ...facts(event),
        });
      case 'tool-input-delta':
        return inStep({
          type: 'tool-input-delta',
          toolCallId: event.toolCallId,
          inputTextDelta: event.delta,
        });
      case 'tool-input-end': {
        const { toolCallId, toolName, input } = event;
        if (event.invalid === undefined) {
          return inStep({ type: 'tool-input-available', toolCallId, toolName, input, ...facts(event) });
        }
        return inStep({
          type: 'tool-input-error',
          toolCallId,
          toolName,
          input,
          errorText: event.invalid,
          ...facts(event),
        });
      }
      case 'tool-preliminary':
      case 'tool-end':
        return inStep({
          type: 'tool-output-available',
          toolCallId: event.toolCallId,
          output: event.output === undefined ? null : event.output,
          ...outputFacts(event),
          ...(event.type === 'tool-preliminary' ? { preliminary: true } : {}),
        });
      case 'tool-error':
        return inStep({
          type: 'tool-output-error',
          toolCallId: event.toolCallId,
          errorText: event.error,
          ...outputFacts(event),
        });
      case 'steer':
        return [steeringPart(event)];
      case 'source': {
        const { sourceType, id, ...rest } = event.source;
        return inStep({ type: `source-${sourceType}`, sourceId: id, ...rest } as UIMessageChunk);
      }
      case 'file':
        return inStep({
          type: event.reasoning === true ? 'reasoning-file' : 'file',
          mediaType: event.mediaType,
          url: event.url,
          ...metadata(event),
        });
      case 'run-end':
        return endChunks(event);
      default:
        return [];
    }
  };
}

/** A run's events, a stored log or a live one, as the AI SDK's UI message stream. */
export function toUIMessageStream(
  events: Iterable<RunEvent> | AsyncIterable<RunEvent>,
): ReadableStream<UIMessageChunk> {
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

function endChunks(event: Extract<RunEvent, { type: 'run-end' }>): UIMessageChunk[] {
  switch (event.outcome) {
    case 'stopped':
      return [{ type: 'abort' }];
    case 'error':
      return [{ type: 'error', errorText: event.error?.message ?? 'The run failed.' }];
    default:
      return [
        { type: 'finish', ...(event.finishReason === undefined ? {} : { finishReason: event.finishReason }) },
      ];
  }
}

function metadata(event: { providerMetadata?: unknown }): { providerMetadata?: never } {
  return event.providerMetadata === undefined ? {} : { providerMetadata: event.providerMetadata as never };
}

function outputFacts(event: ToolCallFacts): Pick<ToolCallFacts, 'providerExecuted' | 'dynamic'> {
  return {
    ...(event.providerExecuted === undefined ? {} : { providerExecuted: event.providerExecuted }),
    ...(event.dynamic === undefined ? {} : { dynamic: event.dynamic }),
    ...metadata(event),
  };
}

function facts(event: ToolCallFacts): ToolCallFacts {
  return { ...outputFacts(event), ...(event.title === undefined ? {} : { title: event.title }) };
}
