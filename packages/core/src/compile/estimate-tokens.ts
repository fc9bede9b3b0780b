import type { ModelMessage } from 'ai';
import type { CompiledRequest } from '../log/events.ts';
import type { Definitions } from '../prompt/definitions.ts';
import { systemPart, tag } from './instructions.ts';
import type { SystemFormat } from '../prompt/prompt-options.ts';

/** About how many tokens one part of a request takes. */
export type TokenPart = {
  /** `instructions` is all of the system prompt that no variable and no named part has put there. */
  kind: 'variable' | 'system' | 'instructions' | 'message' | 'tool';
  /** The name of the definition; `messages[0]` and so on for messages. */
  name: string;
  tokens: number;
};

/** About how many tokens a request takes, with its parts in the order in which they are sent. */
export type TokenEstimate = { total: number; parts: TokenPart[] };

/** What a file counts as. Providers count pixels, pages and seconds, which nobody sees from outside. */
const FILE_TOKENS = 1_000;

/**
 * Estimates what a request costs, and which definition costs how much of it: a token for every four characters, rounded
 * up for each part, and 1,000 for each file. Real counts differ with every model, most of all for languages other than
 * English.
 */
export function estimateTokens(
  request: CompiledRequest,
  definitions: Pick<Definitions, 'variables' | 'system'>,
  format: SystemFormat = 'labels',
): TokenEstimate {
  const { instructions, messages, tools } = request;
  const parts: TokenPart[] = [];
  let end = 0;
  let rest = instructions.length;

  // a hook may have put something else in the place of the compiled text, so a part counts where it is found
  function add(kind: 'variable' | 'system', name: string, text: string): void {
    const start = instructions.indexOf(text, end);
    if (start < 0) return;
    end = start + text.length;
    rest -= text.length;
    parts.push({ kind, name, tokens: toTokens(text.length) });
  }

  for (const [name, variable] of definitions.variables) add('variable', name, tag(name, variable));
  for (const [name, part] of definitions.system) add('system', name, systemPart(name, part, format));
  if (rest > 0) parts.push({ kind: 'instructions', name: 'instructions', tokens: toTokens(rest) });
  for (const [index, { content }] of messages.entries()) {
    parts.push({ kind: 'message', name: `messages[${index}]`, tokens: toTokens(contentLength(content)) });
  }
  for (const { name, description = '', inputSchema } of tools) {
    const length = name.length + description.length + jsonLength(inputSchema);
    parts.push({ kind: 'tool', name, tokens: toTokens(length) });
  }
  return { total: parts.reduce((sum, { tokens }) => sum + tokens, 0), parts };
}

function toTokens(characters: number): number {
  return Math.ceil(characters / 4);
}

type Part = Exclude<ModelMessage['content'], string>[number];
type ResultPart = Extract<
  Extract<Part, { type: 'tool-result' }>['output'],
  { type: 'content' }
>['value'][number];

/** Characters of a message, or of what a tool returned. */
function contentLength(content: string | readonly (Part | ResultPart)[]): number {
  return typeof content === 'string'
    ? content.length
    : content.reduce((sum, part) => sum + partLength(part), 0);
}

function partLength(part: Part | ResultPart): number {
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
