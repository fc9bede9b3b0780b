import type { FilePart, ModelMessage } from 'ai';
import { thrownText } from '../base/error-source.ts';
import { messagePartError } from '../base/message-part-error.ts';
import { toBase64 } from '../json/bytes.ts';
import { imageTypeOfData } from './media-type.ts';

/**
 * Reads each Blob and File in the messages. Must be awaited before a prompt's messages are shown or sent. Messages
 * without any are returned as they are.
 * @throws CuelineError `invalid_definition` for a file that cannot be read
 */
export function resolveMessages(messages: readonly ModelMessage[]): Promise<ModelMessage[]> {
  return Promise.all(
    messages.map(async (message, index) => {
      if (message.role === 'system' || message.role === 'tool') return message;
      const { content } = message;
      if (typeof content === 'string' || !content.some(isUnread)) return message;
      const parts = await Promise.all(
        content.map(async (part, at) =>
          isUnread(part) ? readBlob(part, `messages[${index}].content[${at}]`) : part,
        ),
      );
      // a file is replaced by a file
      return { ...message, content: parts } as ModelMessage;
    }),
  );
}

type UnreadPart = Omit<FilePart, 'data'> & { data: Blob };

function isUnread(part: { type: string; data?: unknown }): part is UnreadPart {
  return part.type === 'file' && part.data instanceof Blob;
}

async function readBlob(part: UnreadPart, path: string): Promise<FilePart> {
  let bytes: Uint8Array;
  try {
    bytes = new Uint8Array(await part.data.arrayBuffer());
  } catch (error) {
    const reason = thrownText(error);
    throw messagePartError(path, `could not be read (${reason}). Choose the file again.`);
  }
  if (bytes.length === 0) throw messagePartError(path, 'has no bytes. Models refuse empty files.');
  const data = toBase64(bytes);
  const mediaType = part.mediaType === 'image/*' ? (imageTypeOfData(data) ?? part.mediaType) : part.mediaType;
  return { ...part, data: { type: 'data', data }, mediaType };
}
