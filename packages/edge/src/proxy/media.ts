import { invalidBody } from './body-fields.ts';

/** What a request carries besides text: it costs by what it shows, not by its length. */
export type Media = {
  /** Of one picture at its finest. */
  readonly pictureTokens: number;
  /** What the model reads at most; undefined where files are refused that could cost as much. */
  readonly contextTokens: number | undefined;
  /** Characters of base64 so far, and what they may cost. */
  length: number;
  tokens: number;
  /** Whether one is among them that may fill the context by itself. */
  isBoundless: boolean;
};

/** Counts what one request for this model carries; nothing so far. */
export function createMedia(model: string, contextTokens: number | undefined): Media {
  // More than the four providers count for a picture, which OpenAI cuts into up to 10,000 patches. gpt-4o-mini costs
  // as much for one as gpt-4o, in far more tokens: 2,833, and 5,667 for each of up to 8 tiles.
  const pictureTokens = model.includes('4o-mini') ? 50_000 : 12_000;
  return { pictureTokens, contextTokens, length: 0, tokens: 0, isBoundless: false };
}

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

/**
 * Passes a file in base64. A picture counts as one, and text by its bytes, where its first bytes agree with what it
 * says it is. Nothing bounds any other but what the model can read: a PDF of one kilobyte may have a thousand pages,
 * a packed document unpacks to any length, and a second of sound or video can be a few bytes.
 */
export function base64(value: unknown, mediaType: unknown, where: string, media: Media): string {
  if (typeof value !== 'string' || !/^[A-Za-z0-9+/_-]*={0,2}$/.test(value)) {
    throw invalidBody(`${where} is not base64.`);
  }
  const type = typeof mediaType === 'string' ? mediaType.toLowerCase() : '';
  media.length += value.length;
  if (type.startsWith('image/') && isPicture(value)) media.tokens += media.pictureTokens;
  // each byte of a text may be a token
  else if (textTypes.test(type) && isText(value)) media.tokens += Math.ceil((value.length * 3) / 4);
  else if (media.contextTokens !== undefined) media.isBoundless = true;
  else {
    throw invalidBody(
      `${where} is a file whose length does not tell what it costs. Send pictures or plain text; for PDF, sound and video, whoever runs this server can set contextTokens.`,
    );
  }
  return value;
}

const textTypes =
  /^(?:text\/[\w.+-]+|application\/(?:[\w.-]+\+)?(?:json|xml|javascript|yaml|x-yaml|x-ndjson))(?:;|$)/;

function isPicture(value: string): boolean {
  return /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF.{4}WEBP|.{4}ftyp(?:heic|heix|mif1|avif))/s.test(
    decode(value.slice(0, 24)) ?? '',
  );
}

function isText(value: string): boolean {
  const text = decode(value);
  if (text === undefined || text.includes('\0') || text.slice(0, 1_100).includes('%PDF')) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(Uint8Array.from(text, (char) => char.charCodeAt(0)));
    return true;
  } catch {
    return false;
  }
}

/** The bytes as characters; undefined for what no decoder takes. */
function decode(value: string): string | undefined {
  try {
    return atob(value.replaceAll('-', '+').replaceAll('_', '/'));
  } catch {
    return undefined;
  }
}

/** What a provider puts before the messages, unseen: how tools are called (up to 800 at Anthropic), or a schema kept to. */
const unseenTokens = 1_000;

/** The most tokens that a body can count for: no tokenizer has more tokens than bytes of text. */
export function worstInput(body: string, media: Media): number {
  if (media.isBoundless) return media.tokens + (media.contextTokens ?? Infinity);
  return unseenTokens + new TextEncoder().encode(body).byteLength - media.length + media.tokens;
}
