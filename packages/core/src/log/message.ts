import { withoutUndefined } from '../base/without-undefined.ts';
import type { RunEvent } from './events.ts';
import type { MessagePart, StateDraft } from './state-draft.ts';
import { addPart, partAt, stepMessage, voidStep, writtenMessage } from './written-message.ts';

/**
 * Writes one event into the assistant's message, with the parts that the AI SDK's own `readUIMessageStream` makes of
 * the same run (a test compares the two). The parts of tool calls are in `tool-calls.ts`.
 */
export function applyToMessage(draft: StateDraft, event: RunEvent): void {
  const { progress } = draft;
  switch (event.type) {
    case 'step-start':
      progress.stepStartIndex = undefined;
      return;
    case 'step-end':
      stepMessage(draft);
      return;
    case 'retry':
      if (event.attempt === undefined) voidStep(draft);
      return;
    case 'steer':
      writtenMessage(draft).parts.push(steeringPart(event));
      return;
    case 'text-start':
    case 'reasoning-start': {
      const kind = blockKindOf(event);
      const index = addPart(draft, {
        type: kind,
        ...(kind === 'reasoning' ? { id: event.id } : {}),
        text: '',
        state: 'streaming',
        ...metadata(event),
      });
      progress.open.set(`${kind}:${event.id}`, index);
      return;
    }
    case 'text-delta':
    case 'reasoning-delta':
    case 'text-end':
    case 'reasoning-end': {
      const kind = blockKindOf(event);
      const key = `${kind}:${event.id}`;
      const part = partAt(draft, progress.open.get(key));
      if (!('text' in event)) progress.open.delete(key);
      if (part?.type !== kind) return;
      if ('text' in event) part.text += event.text;
      else part.state = 'done';
      if (event.type === 'text-end' && event.citations !== undefined && part.type === 'text') {
        part.citations = event.citations;
      }
      if (event.providerMetadata !== undefined) part.providerMetadata = event.providerMetadata;
      return;
    }
    case 'source': {
      const { sourceType, id, ...fields } = event.source;
      addPart(draft, { type: `source-${sourceType}`, sourceId: id, ...fields } as MessagePart);
      return;
    }
    case 'custom':
      addPart(draft, { type: 'custom', kind: event.kind, ...metadata(event) });
      return;
    case 'file':
      addPart(draft, {
        type: event.reasoning === true ? 'reasoning-file' : 'file',
        mediaType: event.mediaType,
        url: event.url,
        ...metadata(event),
      });
      return;
    default:
  }
}

/** Returns a message to the model between two steps as a part of the surrounding message. */
export function steeringPart({
  id,
  text,
  parts = [{ type: 'text', text }],
}: Extract<RunEvent, { type: 'steer' }>): SteeringPart {
  return { type: 'steering-message', id, parts };
}

type SteeringPart = Extract<MessagePart, { type: 'steering-message' }>;

/** Returns the kind of the block that an event is about. */
function blockKindOf({ type }: { type: `${'text' | 'reasoning'}-${string}` }): 'text' | 'reasoning' {
  return type.split('-')[0] as 'text' | 'reasoning';
}

function metadata({ providerMetadata }: { providerMetadata?: unknown }): { providerMetadata?: never } {
  return withoutUndefined({ providerMetadata: providerMetadata as never });
}
