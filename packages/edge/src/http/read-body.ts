import { Refusal } from './respond.ts';

/** How much of a body is read. */
export type BodyLimits = {
  /** Bytes on the wire. */
  bytes: number;
  /** Arrays and objects inside each other; default 64. */
  depth?: number;
  /** How long the whole body may take, in ms; default 30,000. */
  timeoutMs?: number;
  /** Called with how many bytes of memory are needed next, before they are taken. Refuses by throwing. */
  take?: ((bytes: number) => void) | undefined;
};

/**
 * A request's body as JSON: an object, nothing else. It is counted while it comes, so a length that was not told, or
 * told wrong, costs no more than the cap. Throws a {@link Refusal}: 400, 408, 413 or 415.
 */
export async function readJson(request: Request, limits: BodyLimits): Promise<Record<string, unknown>> {
  const { headers } = request;
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  const charset = parameters.find((part) => part.trim().startsWith('charset='))?.trim();
  if (type.trim() !== 'application/json' || !isUtf8(charset)) {
    throw new Refusal('unsupported_media_type', 'Send JSON, with content-type: application/json.');
  }
  return parse(await readBody(request, limits), limits);
}

/**
 * A request's body as it is, counted while it comes. Throws a {@link Refusal}: 400, 408, 413, or 415 where it is
 * encoded, as what would be counted then is not what it becomes.
 */
export async function readBody(
  request: Request,
  limits: Pick<BodyLimits, 'bytes' | 'timeoutMs' | 'take'>,
): Promise<Uint8Array> {
  const { headers } = request;
  if ((headers.get('content-encoding') ?? 'identity').trim().toLowerCase() !== 'identity') {
    throw new Refusal('unsupported_media_type', 'Send the body as it is, without content-encoding.');
  }
  // Node takes chunks off, and leaves whatever else was done for the way as it is.
  if ((headers.get('transfer-encoding') ?? 'chunked').trim().toLowerCase() !== 'chunked') {
    throw new Refusal('unsupported_media_type', 'Send the body as it is, or in chunks.');
  }
  const told = declaredLength(headers);
  if (told !== undefined && told > limits.bytes) {
    // Only what is being read can be let go of; the server closes the connection. It is not waited for.
    request.body?.cancel().catch(() => {});
    throw tooLarge(limits.bytes);
  }
  const bytes = await readBytes(request, limits);
  if (told !== undefined && told !== bytes.byteLength) {
    throw new Refusal('invalid_length', 'content-length is not the length of the body.');
  }
  return bytes;
}

function isUtf8(charset: string | undefined): boolean {
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset);
}

function declaredLength(headers: Headers): number | undefined {
  const text = headers.get('content-length');
  if (text === null) return undefined;
  // Two framings of one body are how requests are smuggled past a server in front.
  if (!/^\d{1,15}$/.test(text) || headers.has('transfer-encoding')) {
    throw new Refusal('invalid_length', 'content-length is no number of bytes, or not the only one.');
  }
  return Number(text);
}

async function readBytes(
  request: Request,
  { bytes, timeoutMs = 30_000, take }: BodyLimits,
): Promise<Uint8Array> {
  if (request.body === null) return new Uint8Array();
  if (request.bodyUsed) throw new TypeError('The body was read before: auth may read headers only.');
  const reader = request.body.getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  let late: Refusal | undefined;
  const timer = setTimeout(() => {
    late = new Refusal('body_timeout', `The body did not come within ${timeoutMs} ms.`);
    reader.cancel().catch(() => {});
  }, timeoutMs);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.byteLength;
      if (size > bytes) throw tooLarge(bytes);
      take?.(value.byteLength);
      parts.push(value);
    }
  } catch (error) {
    if (error instanceof Refusal) {
      // not awaited: a source that never answers must not hold the refusal up
      reader.cancel().catch(() => {});
      throw error;
    }
    // on Workers, a read that waits fails where it is stopped
    throw late ?? new Refusal('invalid_body', 'The body broke off.');
  } finally {
    clearTimeout(timer);
  }
  if (late !== undefined) throw late;
  return join(parts, size);
}

function tooLarge(bytes: number): Refusal {
  return new Refusal('too_large', `The body is larger than ${bytes} bytes.`);
}

function join(parts: readonly Uint8Array[], size: number): Uint8Array {
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.byteLength;
  }
  return whole;
}

function parse(bytes: Uint8Array, { depth = 64, take }: BodyLimits): Record<string, unknown> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new Refusal('invalid_json', 'The body is not UTF-8.');
  }
  const found = measure(text);
  if (found.depth > depth) {
    throw new Refusal(
      'invalid_body',
      `The body has more than ${depth} arrays and objects inside each other.`,
    );
  }
  take?.(COPIES * sizeOf(text, found.marks));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Refusal('invalid_json', 'The body is not JSON.');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Refusal('invalid_body', 'The body is not a JSON object.');
  }
  return value as Record<string, unknown>;
}

/**
 * How much memory a value takes for each bracket, colon and comma of its JSON, in bytes: an empty object, the dearest for
 * its length, takes 64 for its bracket and its comma.
 */
const MARK_BYTES = 32;
/** About how much memory a value takes, in bytes, told from its JSON. */
export function parsedBytes(json: string): number {
  return sizeOf(json, measure(json).marks);
}

function sizeOf(json: string, marks: number): number {
  return json.length + marks * MARK_BYTES;
}

/** How often what a client sends is in memory while it is answered: as it came, as it is checked, logged and sent on. */
const COPIES = 4;

/**
 * How deep a JSON text goes, and how many brackets, colons and commas it has, told before it is parsed: what reads the value
 * afterwards calls itself for each level, and a short text may be a large value.
 */
function measure(text: string): { depth: number; marks: number } {
  let open = 0;
  let depth = 0;
  let marks = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at += 1) {
    const char = text[at];
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '[' || char === '{') {
      marks += 1;
      open += 1;
      if (open > depth) depth = open;
    } else if (char === ']' || char === '}') open -= 1;
    else if (char === ',' || char === ':') marks += 1;
  }
  return { depth, marks };
}
