/** What a request carries, as far as its tokens depend on it. */
export type InputSize = {
  /** Of text, of tools and schemas, and of what holds them together, in UTF-8. */
  bytes: number;
  /** A picture costs by what it shows, not by the length of its file. */
  pictures: number;
  /**
   * True where it has a file whose length says nothing about its tokens: a PDF of one kilobyte may have a thousand pages,
   * a packed document unpacks to any length, and a second of sound or video can be a few bytes.
   */
  isUnbounded: boolean;
};

/** What a provider puts before the messages, unseen: how tools are called (up to 800 at Anthropic), or a schema kept to. */
const UNSEEN_TOKENS = 1_000;

/**
 * The most tokens that a request can be. No tokenizer has more tokens than bytes of text. A request with a file that nothing
 * else bounds is as much as the model can read: `contextTokens`.
 */
export function worstInput(size: InputSize, modelId: string, contextTokens: number): number {
  const pictures = size.pictures * pictureTokens(modelId);
  return pictures + (size.isUnbounded ? contextTokens : UNSEEN_TOKENS + size.bytes);
}

/**
 * The most tokens of a picture: more than the large providers count for one, which OpenAI cuts into up to 10,000 patches.
 * gpt-4o-mini costs as much for one as gpt-4o, in far more tokens: 2,833, and 5,667 for each of up to 8 tiles.
 */
function pictureTokens(modelId: string): number {
  return modelId.includes('4o-mini') ? 50_000 : 12_000;
}

/** What kind of file it is, for its tokens. A picture and a text are only what their first bytes say they are, too. */
export function kindOfFile(
  content: string | Uint8Array,
  mediaType: string,
): 'picture' | 'text' | 'unbounded' {
  const type = mediaType.toLowerCase();
  if (/^image(?:\/|$)/.test(type) && isPicture(content)) return 'picture';
  return (textTypes.test(type) || type === 'text') && isText(content) ? 'text' : 'unbounded';
}

/** The bytes of a file. */
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

/** The bytes of base64; undefined for what no decoder takes. */
function decode(base64: string): Uint8Array | undefined {
  try {
    const text = atob(base64.replaceAll('-', '+').replaceAll('_', '/'));
    return Uint8Array.from(text, (char) => char.charCodeAt(0));
  } catch {
    return undefined;
  }
}
