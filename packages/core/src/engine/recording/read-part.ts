import { toUIMessageChunk, type TextStreamPart, type ToolSet } from 'ai';
import type { RunEventBody, ToolCallMetadata } from '../../log/events.ts';

/** Returns the text of a message. */
export function messageText(content: string | readonly { type: string; text?: string }[]): string {
  if (typeof content === 'string') return content;
  return content.flatMap(({ text }) => text ?? []).join('\n');
}

/** Returns the whole message if it has a file, with the parts that the AI SDK's own stream has. */
export function partsWithFile(
  part: Extract<TextStreamPart<ToolSet>, { type: 'steering-message' }>,
): Pick<Extract<RunEventBody, { type: 'steer' }>, 'parts'> {
  const { content } = part.message;
  if (typeof content === 'string' || content.every(({ type }) => type === 'text')) return {};
  const chunk = toUIMessageChunk(part);
  return chunk?.type === 'steering-message' ? { parts: chunk.parts } : {};
}

/** Returns what a provider reports about a call besides the call itself. */
export function callMetadata(part: {
  providerExecuted?: boolean | undefined;
  dynamic?: boolean | undefined;
  title?: string | undefined;
  toolMetadata?: ToolCallMetadata['toolMetadata'] | undefined;
  providerMetadata?: ToolCallMetadata['providerMetadata'] | undefined;
}): ToolCallMetadata {
  return {
    ...(part.providerExecuted === undefined ? {} : { providerExecuted: part.providerExecuted }),
    ...(part.dynamic === true ? { dynamic: true } : {}),
    ...(part.title === undefined ? {} : { title: part.title }),
    ...(part.toolMetadata === undefined ? {} : { toolMetadata: part.toolMetadata }),
    ...metadata(part),
  };
}

/** Returns a provider's metadata of a part, if there is any. */
export function metadata(part: { providerMetadata?: ToolCallMetadata['providerMetadata'] | undefined }): {
  providerMetadata?: NonNullable<ToolCallMetadata['providerMetadata']>;
} {
  return part.providerMetadata === undefined ? {} : { providerMetadata: part.providerMetadata };
}

/** Returns the source of a statement of the model. */
export function answerSource(
  part: Extract<TextStreamPart<ToolSet>, { type: 'source' }>,
): Extract<RunEventBody, { type: 'source' }>['source'] {
  const common = { id: part.id, ...metadata(part) };
  if (part.sourceType === 'url') {
    return {
      sourceType: 'url',
      url: part.url,
      ...(part.title === undefined ? {} : { title: part.title }),
      ...common,
    };
  }
  return {
    sourceType: 'document',
    mediaType: part.mediaType,
    title: part.title,
    ...(part.filename === undefined ? {} : { filename: part.filename }),
    ...common,
  };
}

/** Returns a provider's warning as a sentence. */
export function warningText(
  warning: Extract<TextStreamPart<ToolSet>, { type: 'start-step' }>['warnings'][number],
): string {
  switch (warning.type) {
    case 'unsupported':
    case 'compatibility':
      return `The model does not fully support ${warning.feature}${warning.details === undefined ? '' : `: ${warning.details}`}.`;
    case 'deprecated':
      return `The setting ${warning.setting} is deprecated: ${warning.message}`;
    default:
      return warning.message;
  }
}
