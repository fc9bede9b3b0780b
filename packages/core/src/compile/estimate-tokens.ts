import type { ModelMessage } from 'ai';
import type { CompiledRequest } from '../log/events.ts';

/** The estimated number of tokens of one part of a request. */
export type TokenPart = {
  /** `instructions` is the part of the system prompt that comes from no variable and no named part. */
  kind: 'variable' | 'system' | 'instructions' | 'message' | 'tool' | 'output';
  /** The name of the definition; `messages[0]` and so on for messages, `output` for the schema of the answer. */
  name: string;
  tokens: number;
};

/** The estimated number of tokens of a request, with its parts in the order in which they are sent. */
export type TokenEstimate = { total: number; parts: TokenPart[] };

/** What a file counts as. Providers count pixels, pages and seconds, which cannot be known here. */
const FILE_TOKENS = 1_000;

/**
 * Estimates the tokens of a request and of each definition: one token for every four characters, rounded up for each
 * part, and 1,000 for each file. Real counts differ between models, most of all for languages other than English.
 */
export function estimateTokens(request: CompiledRequest): TokenEstimate {
  const { instructions, instructionParts = [], messages, tools, settings } = request;
  const parts: TokenPart[] = [];
  let rest = instructions.length;
  for (const { kind, name, start, end } of instructionParts) {
    rest -= end - start;
    parts.push({ kind, name, tokens: toTokens(end - start) });
  }
  if (rest > 0) parts.push({ kind: 'instructions', name: 'instructions', tokens: toTokens(rest) });
  for (const [index, { content }] of messages.entries()) {
    parts.push({ kind: 'message', name: `messages[${index}]`, tokens: toTokens(contentLength(content)) });
  }
  for (const { name, description = '', inputSchema } of tools) {
    const length = name.length + description.length + jsonLength(inputSchema);
    parts.push({ kind: 'tool', name, tokens: toTokens(length) });
  }
  const { schema } = (settings.responseFormat ?? {}) as { schema?: unknown };
  if (schema !== undefined)
    parts.push({ kind: 'output', name: 'output', tokens: toTokens(jsonLength(schema)) });
  return { total: parts.reduce((sum, { tokens }) => sum + tokens, 0), parts };
}

function toTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

type ContentPart = Exclude<ModelMessage['content'], string>[number];
type ResultPart = Extract<
  Extract<ContentPart, { type: 'tool-result' }>['output'],
  { type: 'content' }
>['value'][number];

/** Returns the characters of a message or of a tool's result. */
function contentLength(content: string | readonly (ContentPart | ResultPart)[]): number {
  return typeof content === 'string'
    ? content.length
    : content.reduce((sum, part) => sum + partLength(part), 0);
}

function partLength(part: ContentPart | ResultPart): number {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text.length;
    case 'tool-call':
      return part.toolName.length + jsonLength(part.input);
    case 'tool-result':
      return part.output.type === 'content'
        ? contentLength(part.output.value)
        : jsonLength('value' in part.output ? part.output.value : part.output);
    case 'tool-approval-request':
    case 'tool-approval-response':
    case 'custom':
      return 0;
    default:
      return FILE_TOKENS * 4;
  }
}

function jsonLength(value: unknown): number {
  return typeof value === 'string' ? value.length : JSON.stringify(value ?? '').length;
}
