import type { LanguageModelV4Content } from '@ai-sdk/provider';
import type { ModelMessage } from 'ai';
import type { ModelAnswer } from '../run/steady-model.ts';

type Content = Exclude<Extract<ModelMessage, { role: 'assistant' }>['content'], string>;

/** A whole answer as a message, before its tools have run: what is kept of it in the meantime. */
export function answerMessage({ content }: ModelAnswer): ModelMessage {
  return { role: 'assistant', content: content.flatMap(toPart) };
}

function toPart(part: LanguageModelV4Content): Content {
  const { providerMetadata } = part;
  const more = providerMetadata === undefined ? {} : { providerOptions: providerMetadata };
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text === '' && providerMetadata === undefined
        ? []
        : [{ type: part.type, text: part.text, ...more }];
    case 'tool-call': {
      const { toolCallId, toolName, providerExecuted } = part;
      const input = readInput(part.input);
      return [
        {
          type: 'tool-call',
          toolCallId,
          toolName,
          // providers take nothing but objects
          input: typeof input === 'object' ? input : {},
          ...(providerExecuted === undefined ? {} : { providerExecuted }),
          ...more,
        },
      ];
    }
    default:
      // what only shows where an answer comes from, and what its step will have once it is over
      return [];
  }
}

/** A call's arguments; the text itself where it is no JSON. */
export function readInput(text: string): unknown {
  try {
    return text.trim() === '' ? {} : (JSON.parse(text) as unknown);
  } catch {
    return text;
  }
}
