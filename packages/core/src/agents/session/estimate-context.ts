import { asSchema, type Instructions, type ModelMessage, type ToolSet } from 'ai';
import { contentText } from '../../messages/transcript-text.ts';

/** What a file counts as, in tokens. Providers count pixels, pages and seconds, which nobody sees from outside. */
const FILE_TOKENS = 1_000;

/** About how many tokens the next request takes. */
export type ContextEstimate = {
  /** The provider has counted so many messages, its answer included. */
  counted(tokens: number | undefined, length: number): void;
  /** The messages are others now, so that counts of before say nothing. */
  reset(): void;
  of(messages: readonly ModelMessage[], frame: number): number;
};

/** Goes by the last count of the provider's, and by four characters a token for what came since. */
export function createContextEstimate(): ContextEstimate {
  let base: { tokens: number; length: number } | undefined;
  return {
    counted(tokens, length) {
      // some report nothing, negative numbers, numbers beyond all reason, and texts
      if (typeof tokens === 'number' && tokens > 0 && tokens < 1e9) base = { tokens, length };
    },
    reset() {
      base = undefined;
    },
    of(messages, frame) {
      if (base === undefined) return frame + tokensOf(messages);
      return base.tokens + tokensOf(messages.slice(base.length));
    },
  };
}

const lengths = new WeakMap<ModelMessage, number>();

/** Four characters a token. Each message is looked at once. */
export function tokensOf(messages: readonly ModelMessage[]): number {
  let length = 0;
  for (const message of messages) {
    const known = lengths.get(message) ?? lengthOf(message);
    lengths.set(message, known);
    length += known;
  }
  return Math.ceil(length / 4);
}

function lengthOf({ content }: ModelMessage): number {
  if (typeof content === 'string') return content.length;
  const reasoning = content.map((part) => (part.type === 'reasoning' ? part.text.length : 0));
  const files = content.filter(({ type }) => type === 'file' || type === 'image').length;
  return (
    reasoning.reduce((sum, length) => sum + length, files * FILE_TOKENS * 4) + contentText(content).length
  );
}

/** What a request takes besides its messages: system prompt and tools. */
export async function frameTokens(instructions: Instructions | undefined, tools: ToolSet): Promise<number> {
  let length = textOf(instructions).length;
  for (const [name, { description, inputSchema }] of Object.entries(tools)) {
    length += name.length + (typeof description === 'string' ? description.length : 0);
    length += (JSON.stringify(await asSchema(inputSchema).jsonSchema) ?? '').length;
  }
  return Math.ceil(length / 4);
}

function textOf(instructions: Instructions | undefined): string {
  if (instructions === undefined || typeof instructions === 'string') return instructions ?? '';
  return [instructions]
    .flat()
    .map(({ content }) => content)
    .join('\n\n');
}
