import type { JSONValue, LanguageModelV4Content } from '@ai-sdk/provider';
import type { ModelMessage } from 'ai';
import { bytesOf, toBase64 } from '../../json/bytes.ts';
import type { ModelResponse } from '../../provider/with-retries.ts';

type Content = Exclude<Extract<ModelMessage, { role: 'assistant' }>['content'], string>;

/** Returns a whole answer as a message, before its tools have run: the same message as in its finished step. */
export function answerMessage({ content }: Pick<ModelResponse, 'content'>): ModelMessage {
  return { role: 'assistant', content: content.flatMap(toPart) };
}

function toPart(part: LanguageModelV4Content): Content {
  const { providerMetadata } = part;
  const more = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  switch (part.type) {
    case 'text':
      return part.text === '' && providerMetadata === undefined
        ? []
        : [{ type: part.type, text: part.text, ...more }];
    case 'reasoning':
      return [{ type: part.type, text: part.text, ...more }];
    case 'custom':
      return [{ type: part.type, kind: part.kind, ...more }];
    case 'file':
    case 'reasoning-file':
      return [{ type: part.type, data: base64Of(part.data), mediaType: part.mediaType, ...more }];
    case 'tool-call': {
      const { toolCallId, toolName, providerExecuted } = part;
      const input = readInput(part.input);
      return [
        {
          type: part.type,
          toolCallId,
          toolName,
          // providers accept only objects
          input: typeof input === 'object' ? input : {},
          ...(providerExecuted === undefined ? {} : { providerExecuted }),
          ...more,
        },
      ];
    }
    case 'tool-result': {
      const { toolCallId, toolName, result, isError, preliminary } = part;
      if (preliminary === true) return [];
      return [
        { type: part.type, toolCallId, toolName, output: providerToolOutput(result, isError), ...more },
      ];
    }
    default:
      // sources of an answer, which no provider expects back
      return [];
  }
}

/** Returns a call's arguments, or the text itself if it is not JSON. */
export function readInput(text: string): unknown {
  try {
    return text.trim() === '' ? {} : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}

type Data = Extract<LanguageModelV4Content, { type: 'file' }>['data'];

function base64Of(data: Data): string | URL {
  if (data.type === 'url') return data.url;
  const bytes = bytesOf(data.data);
  return bytes === undefined ? (data.data as string) : toBase64(bytes);
}

/** Returns the result of a provider's own tool. */
function providerToolOutput(
  result: NonNullable<JSONValue>,
  isError: boolean | undefined,
): Extract<Content[number], { type: 'tool-result' }>['output'] {
  if (isError === true) return { type: 'error-json', value: result };
  return typeof result === 'string' ? { type: 'text', value: result } : { type: 'json', value: result };
}
