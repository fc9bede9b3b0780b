import { utf8Length } from '../base/utf8-length.ts';
import { fileBytes, kindOfFile, type InputSize } from '../limits/input-size.ts';
import { invalidBodyError } from './body-fields.ts';

/** The files of a request. */
export type Media = {
  /** The most that the model reads, in tokens; undefined where files that may cost this much are refused. */
  readonly contextTokens: number | undefined;
  /** Characters of base64 so far. */
  length: number;
  pictures: number;
  /** Bytes of the text files. */
  textBytes: number;
  /** True if one of the files may fill the context by itself. */
  isUnbounded: boolean;
};

/** Counters for the files of one request, all at zero. */
export function createMedia(contextTokens: number | undefined): Media {
  return { contextTokens, length: 0, pictures: 0, textBytes: 0, isUnbounded: false };
}

/** The size of a request with these files. */
export function sizeOf(body: string, media: Media): InputSize {
  const { length, pictures, textBytes, isUnbounded } = media;
  return { bytes: utf8Length(body) - length + textBytes, pictures, isUnbounded };
}

/** Accepts a `data:` URL. The provider would fetch any other one, with its own rights and beyond our limits. */
export function dataUrl(value: unknown, where: string, media: Media): string {
  const head =
    typeof value === 'string' ? /^data:([a-z]+\/[a-z0-9.+-]+)(?:;[a-z0-9=.+-]+)*;base64,/i.exec(value) : null;
  if (typeof value !== 'string' || head === null) {
    throw invalidBodyError(`${where} is not a data: URL in base64. Send the file itself.`);
  }
  // a file part is not an image, even if its media type says so
  const type = where === 'image_url' ? head[1] : head[1]?.replace(/^image\/.*/i, '');
  base64(value.slice(head[0].length), type, where, media);
  return value;
}

/**
 * Accepts a file in base64. A file whose length says nothing about its tokens is refused, unless `contextTokens`
 * bounds them.
 */
export function base64(value: unknown, mediaType: unknown, where: string, media: Media): string {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) {
    throw invalidBodyError(`${where} is not base64.`);
  }
  media.length += value.length;
  const kind = kindOfFile(value, typeof mediaType === 'string' ? mediaType : '');
  if (kind === 'picture') media.pictures += 1;
  // each byte of a text may be a token
  else if (kind === 'text') media.textBytes += fileBytes(value);
  else if (media.contextTokens !== undefined) media.isUnbounded = true;
  else {
    throw invalidBodyError(
      `${where} is a file whose cost cannot be estimated from its size. Send pictures or plain text; for PDF, audio and video, the operator of this server can set contextTokens.`,
    );
  }
  return value;
}
