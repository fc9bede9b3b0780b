import { ByteBuffer } from '../base/byte-buffer.ts';
import { isRecord } from '../base/is-record.ts';
import { HttpError, isHttpError } from './respond.ts';

/** The limits of a body. */
export type BodyLimits = {
  /** Maximum size on the wire, in bytes. */
  bytes: number;
  /** Maximum nesting of arrays and objects; default 64. */
  depth?: number;
  /** Maximum duration of the whole body, in milliseconds; default 30,000. */
  timeoutMs?: number;
  /** Called with the number of bytes of memory that are needed next, before they are used. Refuses by throwing. */
  take?: ((bytes: number) => void) | undefined;
};

/**
 * Reads a request's body as JSON, which must be an object. Counts the bytes while they arrive, so a missing or wrong
 * length costs no more than the limit. Throws an {@link HttpError}: 400, 408, 413 or 415.
 */
export async function readJson(request: Request, limits: BodyLimits): Promise<Record<string, unknown>> {
  const { headers } = request;
  const [type = '', ...parameters] = (headers.get('content-type') ?? '').toLowerCase().split(';');
  const charset = parameters.find((part) => part.trim().startsWith('charset='))?.trim();
  if (type.trim() !== 'application/json' || !isUtf8(charset)) {
    throw new HttpError('unsupported_media_type', 'Send JSON, with content-type: application/json.');
  }
  return parse(await readBody(request, limits), limits);
}

/**
 * Reads a request's body as text. Counts the bytes while they arrive. Throws an {@link HttpError}: 400, 408, 413, or
 * 415 for an encoded body, whose decoded size is unknown.
 */
export async function readBody(
  request: Request,
  limits: Pick<BodyLimits, 'bytes' | 'timeoutMs' | 'take'>,
): Promise<Uint8Array> {
  const { headers } = request;
  if ((headers.get('content-encoding') ?? 'identity').trim().toLowerCase() !== 'identity') {
    throw new HttpError('unsupported_media_type', 'Send the body as it is, without content-encoding.');
  }
  // Node decodes chunks, and leaves other encodings as they are
  if ((headers.get('transfer-encoding') ?? 'chunked').trim().toLowerCase() !== 'chunked') {
    throw new HttpError('unsupported_media_type', 'Send the body as it is, or in chunks.');
  }
  const declared = declaredLength(headers);
  if (declared !== undefined && declared > limits.bytes) {
    // only a body that is being read can be cancelled; the server closes the connection, and this does not wait for
    // it
    request.body?.cancel().catch(() => {});
    throw tooLargeError(limits.bytes);
  }
  const bytes = await readBytes(request, limits);
  if (declared !== undefined && declared !== bytes.byteLength) {
    if (bytes.byteLength === 0) throw incompleteError(0);
    throw new HttpError(
      'invalid_length',
      'Content-Length is not the length of the body. Send the correct length, or leave it out.',
    );
  }
  return bytes;
}

function isUtf8(charset: string | undefined): boolean {
  return charset === undefined || /^charset="?utf-?8"?$/.test(charset);
}

function declaredLength(headers: Headers): number | undefined {
  const text = headers.get('content-length');
  if (text === null) return undefined;
  // two framings of one body are used to smuggle requests past a server in front
  if (!/^\d{1,15}$/.test(text) || headers.has('transfer-encoding')) {
    throw new HttpError(
      'invalid_length',
      'Content-Length is invalid or repeated. Send it once, as a whole number, or leave it out.',
    );
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
  const buffer = new ByteBuffer();
  let late: HttpError | undefined;
  const timer = setTimeout(() => {
    late = new HttpError('body_timeout', `The body did not arrive within ${timeoutMs} ms. Send it again.`);
    reader.cancel().catch(() => {});
  }, timeoutMs);
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      if (buffer.size + value.byteLength > bytes) throw tooLargeError(bytes);
      take?.(value.byteLength);
      buffer.add(value);
    }
  } catch (error) {
    if (isHttpError(error)) {
      // not awaited, because a source that never answers must not delay the refusal
      reader.cancel().catch(() => {});
      throw error;
    }
    // on Workers, cancelling fails a pending read
    throw late ?? incompleteError(buffer.size);
  } finally {
    clearTimeout(timer);
  }
  if (late !== undefined) throw late;
  return buffer.take();
}

function incompleteError(received: number): HttpError {
  const what =
    received === 0
      ? 'The body did not arrive. If it was sent, something on the server, such as express.json(), has read it before this handler: let it follow the handler, or skip its path.'
      : 'The body is incomplete. Send it again.';
  return new HttpError('invalid_body', what);
}

function tooLargeError(bytes: number): HttpError {
  return new HttpError('too_large', `The body is larger than ${bytes} bytes. Send less.`);
}

function parse(bytes: Uint8Array, { depth = 64, take }: BodyLimits): Record<string, unknown> {
  let text: string;
  try {
    text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new HttpError('invalid_json', 'The body is not UTF-8. Send JSON in UTF-8.');
  }
  const found = measure(text);
  if (found.depth > depth) {
    throw new HttpError(
      'invalid_body',
      `The body is nested more than ${depth} levels deep. Send flatter data.`,
    );
  }
  take?.(COPIES * sizeOf(text, found.marks));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new HttpError('invalid_json', 'The body is not valid JSON. Send a JSON object.');
  }
  if (!isRecord(value))
    throw new HttpError('invalid_body', 'The body is JSON, but not an object. Send a JSON object.');
  return value;
}

/**
 * The memory of a value for each bracket, colon and comma of its JSON, in bytes. An empty object is the most
 * expensive for its length: 64 for its bracket and its comma.
 */
const MARK_BYTES = 32;
/** Estimates the memory of a value from its JSON, in bytes. */
export function parsedBytes(json: string): number {
  return sizeOf(json, measure(json).marks);
}

function sizeOf(json: string, marks: number): number {
  return json.length + marks * MARK_BYTES;
}

/** How many copies of a client's data are in memory at the same time: received, checked, logged and forwarded. */
const COPIES = 4;

/**
 * Returns the depth of a JSON text and its number of brackets, colons and commas, before it is parsed. Readers of the
 * value recurse at each level, and a short text may be a large value.
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
