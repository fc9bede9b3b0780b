import type { ModelMessage } from 'ai';
import { shorten } from '../base/quote-value.ts';

type ContentPart = Exclude<ModelMessage['content'], string>[number];
type Output = Extract<ContentPart, { type: 'tool-result' }>['output'];

/** Longer arguments and results are cut, in characters. */
const MAX_LENGTH = 500;

/** Returns the parts of a message, each as a text of one or more lines. */
export function describeContent(content: ModelMessage['content']): string[] {
  return typeof content === 'string' ? [content] : content.map(describePart);
}

function describePart(part: ContentPart): string {
  switch (part.type) {
    case 'text':
      return part.text;
    case 'reasoning':
      return `[reasoning] ${part.text}`;
    case 'tool-call':
      return `${part.toolName} is called with ${truncate(JSON.stringify(part.input))}`;
    case 'tool-result':
      return `${part.toolName} ${describeOutput(part.output)}`;
    case 'file':
    case 'image':
    case 'reasoning-file':
      return describeFile(part);
    default:
      return `[${part.type}]`;
  }
}

function describeOutput(output: Output): string {
  switch (output.type) {
    case 'text':
      return `answers ${truncate(output.value)}`;
    case 'error-text':
      return `fails: ${truncate(output.value)}`;
    case 'error-json':
      return `fails: ${truncate(JSON.stringify(output.value))}`;
    case 'execution-denied':
      return `was not allowed${output.reason === undefined ? '' : `: ${output.reason}`}`;
    case 'content': {
      const parts = output.value.map((part) =>
        part.type === 'text'
          ? truncate(part.text)
          : part.type === 'file'
            ? describeFile(part)
            : `[${part.type}]`,
      );
      return ['answers', ...parts].join('\n  ');
    }
    default:
      return `answers ${truncate(JSON.stringify(output.value))}`;
  }
}

type File = { filename?: string; mediaType?: string; data?: unknown; image?: unknown };

function describeFile({ filename, mediaType, data, image }: File): string {
  const facts = [filename, mediaType, describeSource(data ?? image)].filter((fact) => fact !== undefined);
  return `[${facts.join(', ')}]`;
}

/** Returns where a file is, or how large it is. */
function describeSource(source: unknown): string | undefined {
  if (source instanceof URL) return source.href;
  if (typeof source === 'string') {
    if (/^https?:/i.test(source)) return source;
    // the log's form of bytes that are not base64
    if (source.startsWith('[')) return source.slice(1, -1);
    return describeSize((source.slice(source.indexOf(',') + 1).replace(/=+$/, '').length * 3) / 4);
  }
  if (typeof source !== 'object' || source === null) return undefined;
  const { url, data, text, reference } = source as Record<string, unknown>;
  if (typeof text === 'string') return describeSize(text.length);
  if (reference !== undefined) return JSON.stringify(reference);
  return describeSource(url ?? data);
}

function describeSize(bytes: number): string {
  if (bytes < 1_024) return `${Math.floor(bytes)} bytes`;
  const kilobytes = bytes / 1_024;
  return kilobytes < 1_024 ? `${kilobytes.toFixed(1)} KB` : `${(kilobytes / 1_024).toFixed(1)} MB`;
}

function truncate(text: string): string {
  return text.length <= MAX_LENGTH
    ? text
    : `${shorten(text, MAX_LENGTH)} (${text.length - MAX_LENGTH} characters more)`;
}
