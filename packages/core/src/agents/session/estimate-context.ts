import { asSchema, type Instructions, type ModelMessage, type ToolSet } from 'ai';
import { contentText } from '../../messages/transcript-text.ts';

/** What a file counts as, in tokens. Providers count pixels, pages and seconds, which cannot be known here. */
const FILE_TOKENS = 1_000;

const lengths = new WeakMap<ModelMessage, number>();

/** Estimates one token for every four characters. Reads each message once. */
export function tokensOf(messages: readonly ModelMessage[]): number {
  let length = 0;
  for (const message of messages) {
    const known = lengths.get(message) ?? messageLength(message);
    lengths.set(message, known);
    length += known;
  }
  return Math.ceil(length / 4);
}

function messageLength({ content }: ModelMessage): number {
  if (typeof content === 'string') return content.length;
  const reasoning = content.map((part) => (part.type === 'reasoning' ? part.text.length : 0));
  const files = content.filter(({ type }) => type === 'file' || type === 'image').length;
  return (
    reasoning.reduce((sum, length) => sum + length, files * FILE_TOKENS * 4) + contentText(content).length
  );
}

/** Estimates the rest of a request: system prompt and tools. */
export async function frameTokens(instructions: Instructions | undefined, tools: ToolSet): Promise<number> {
  let length = instructionText(instructions).length;
  for (const [name, { description, inputSchema }] of Object.entries(tools)) {
    length += name.length + (typeof description === 'string' ? description.length : 0);
    length += (JSON.stringify(await asSchema(inputSchema).jsonSchema) ?? '').length;
  }
  return Math.ceil(length / 4);
}

function instructionText(instructions: Instructions | undefined): string {
  if (instructions === undefined || typeof instructions === 'string') return instructions ?? '';
  return [instructions]
    .flat()
    .map(({ content }) => content)
    .join('\n\n');
}
