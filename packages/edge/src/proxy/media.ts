import { invalidBody } from './body-fields.ts';

/** What a request carries besides text: it costs by what it shows, not by its length. */
export type Media = { length: number; tokens: number };

// More than any of the four providers counts for a picture at its finest.
const tokensOfPicture = 6_000;

/** Passes a `data:` URL. Any other, the provider would fetch: with its own rights, and past our limits. */
export function dataUrl(value: unknown, where: string, media: Media): string {
  const head =
    typeof value === 'string' ? /^data:([a-z]+\/[a-z0-9.+-]+)(?:;[a-z0-9=.+-]+)*;base64,/i.exec(value) : null;
  if (typeof value !== 'string' || head === null) {
    throw invalidBody(`${where} is no data: URL in base64. Send the file itself.`);
  }
  // a file is no picture, whatever it calls itself
  const type = where === 'image_url' ? head[1] : head[1]?.replace(/^image\/.*/i, '');
  base64(value.slice(head[0].length), type, where, media);
  return value;
}

/** Passes a file in base64. */
export function base64(value: unknown, mediaType: unknown, where: string, media: Media): string {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) {
    throw invalidBody(`${where} is not base64.`);
  }
  media.length += value.length;
  media.tokens += tokensOf(value, typeof mediaType === 'string' ? mediaType.toLowerCase() : '');
  return value;
}

function tokensOf({ length }: string, mediaType: string): number {
  if (mediaType.startsWith('image/')) return tokensOfPicture;
  const isShown = /^(?:audio|video|application\/pdf)\b/.test(mediaType);
  // everything else is read as text, of which each byte may be a token
  return Math.ceil(isShown ? length / 4 : (length * 3) / 4);
}

/** The most tokens that a body can count for: no tokenizer has more tokens than bytes of text. */
export function worstInput(body: string, media: Media): number {
  return new TextEncoder().encode(body).byteLength - media.length + media.tokens;
}
