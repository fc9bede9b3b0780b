import type { UIMessage } from 'ai';
import type { FilePart, TranscriptItem } from './transcript-item.ts';

type Part = UIMessage['parts'][number];

/** The row of a part that is not a call; undefined for a part without a row. */
export function partItem(part: Part, key: string, live: boolean): TranscriptItem | undefined {
  switch (part.type) {
    case 'text':
      return part.text === ''
        ? undefined
        : { key, kind: 'text', text: part.text, streaming: live && part.state === 'streaming' };
    case 'reasoning':
      return { key, kind: 'reasoning', text: part.text, streaming: live && part.state === 'streaming' };
    case 'source-url':
      return { key, kind: 'source', title: part.title ?? part.url, url: part.url };
    case 'source-document':
      return { key, kind: 'source', title: part.title, url: undefined };
    case 'file':
      return { key, kind: 'file', file: part };
    default:
      return undefined;
  }
}

/** Rows by the parts of a message, so that a row whose message has not changed is not drawn again. */
const filesIn = new WeakMap<UIMessage['parts'], readonly FilePart[]>();

export function filesOf({ parts }: UIMessage): readonly FilePart[] {
  const files = filesIn.get(parts) ?? parts.filter((part) => part.type === 'file');
  filesIn.set(parts, files);
  return files;
}

export function textOf(message: UIMessage): string {
  return message.parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n');
}
