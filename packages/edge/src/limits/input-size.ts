/** The size of a request, as far as its tokens depend on it. */
export type InputSize = {
  /** Bytes of text, tools, schemas and JSON syntax, in UTF-8. */
  bytes: number;
  /** The number of images. The tokens of an image do not depend on the length of its file. */
  pictures: number;
  /**
   * True if it has a file whose length does not bound its tokens: a PDF of one kilobyte may have a thousand pages, a
   * compressed document may unpack to any length, and a second of audio or video can be a few bytes. True, too, if it
   * has a tool with which the provider reads more, such as a web search.
   */
  isUnbounded: boolean;
};

/** Tokens that a provider adds before the messages: how to call tools (up to 800 at Anthropic), or a schema. */
const UNSEEN_TOKENS = 1_000;

/**
 * Returns the maximum number of tokens of a request. No tokenizer makes more tokens than a text has bytes. An
 * unbounded request counts as the model's whole context: `contextTokens`.
 */
export function worstInput(size: InputSize, modelId: string, contextTokens: number): number {
  const pictures = size.pictures * pictureTokens(modelId);
  return pictures + (size.isUnbounded ? contextTokens : UNSEEN_TOKENS + size.bytes);
}

/**
 * Returns the maximum number of tokens of an image: more than the large providers count for one, which OpenAI splits
 * into up to 10,000 patches. gpt-4o-mini costs as much for an image as gpt-4o, in far more tokens: 2,833, and 5,667
 * for each of up to 8 tiles.
 */
function pictureTokens(modelId: string): number {
  return modelId.includes('4o-mini') ? 50_000 : 12_000;
}

/** Returns the kind of a file, for its tokens. An image or a text must also have its first bytes. */
export function kindOfFile(
  content: string | Uint8Array,
  mediaType: string,
): 'picture' | 'text' | 'unbounded' {
  const type = mediaType.toLowerCase();
  if (/^image(?:\/|$)/.test(type) && isPicture(content)) return 'picture';
  return (textTypes.test(type) || type === 'text') && isText(content) ? 'text' : 'unbounded';
}

/** Returns the number of bytes of a file. */
export function fileBytes(content: string | Uint8Array): number {
  return typeof content === 'string' ? Math.ceil((content.length * 3) / 4) : content.byteLength;
}

const textTypes =
  /^(?:text\/[\w.+-]+|application\/(?:[\w.-]+\+)?(?:json|xml|javascript|yaml|x-yaml|x-ndjson))(?:;|$)/;

const pictureHeads = /^(?:\x89PNG|\xff\xd8\xff|GIF8|RIFF.{4}WEBP|.{4}ftyp(?:heic|heix|mif1|avif))/s;

function isPicture(content: string | Uint8Array): boolean {
  const head = typeof content === 'string' ? decode(content.slice(0, 24)) : content.subarray(0, 18);
  return head !== undefined && pictureHeads.test(String.fromCharCode(...head));
}

function isText(content: string | Uint8Array): boolean {
  const bytes = typeof content === 'string' ? decode(content) : content;
  if (bytes === undefined || bytes.includes(0)) return false;
  if (String.fromCharCode(...bytes.subarray(0, 1_100)).includes('%PDF')) return false;
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}

/** Returns the bytes of base64; undefined for invalid base64. */
function decode(base64: string): Uint8Array | undefined {
  try {
    const text = atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(text, (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
