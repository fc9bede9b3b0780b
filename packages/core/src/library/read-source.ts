import { thrownText } from '../base/error-source.ts';
import { CuelineError } from '../base/errors.ts';
import { shorten } from '../base/quote-value.ts';
import { fileLimits } from './prompt-schema.ts';

/** How long an address may take to answer. */
const TIMEOUT_MS = 30_000;

/** The parts of Node that read a file. Other runtimes may lack them. */
type Fs = {
  readonly readFile: (path: string | URL, encoding: 'utf8') => Promise<string>;
  readonly readdir: (path: string | URL) => Promise<string[]>;
  readonly stat: (path: string | URL) => Promise<{ size: number; isDirectory(): boolean }>;
};

/** The parsed content of one file or address, and its name for messages. */
export type SourceContent = { name: string; value: unknown };

/** Settings of `createPromptLibrary` that reading addresses needs. */
export type ReadSourceOptions = { fetch?: typeof fetch | undefined; signal?: AbortSignal | undefined };

/** Reads an address, a file, or all JSON files of a folder. @throws CuelineError `invalid_library` */
export async function readSource(source: string | URL, options: ReadSourceOptions): Promise<SourceContent[]> {
  const address = String(source);
  if (/^https?:/i.test(address)) return [await readAddress(address, options)];
  const fs = fileSystem();
  if (fs !== undefined)
    return readPath(fs, source instanceof URL || !/^file:/i.test(source) ? source : new URL(source));
  // a page reads an address relative to its own
  return [await readAddress(address, options)];
}

function fileSystem(): Fs | undefined {
  const { process } = globalThis as { process?: { getBuiltinModule?: (name: string) => unknown } };
  return process?.getBuiltinModule?.('node:fs/promises') as Fs | undefined;
}

async function readPath(fs: Fs, path: string | URL): Promise<SourceContent[]> {
  const name = path instanceof URL ? path.pathname : path;
  try {
    const { size, isDirectory } = await statOf(fs, path);
    if (!isDirectory) return [toContent(name, size, await readText(fs, path, size))];
    const files = (await fs.readdir(path)).filter((file) => file.endsWith('.json')).toSorted();
    if (files.length === 0) throw unreadableSourceError(name, 'is a folder without JSON files');
    return (await Promise.all(files.map((file) => readPath(fs, join(path, file))))).flat();
  } catch (error) {
    if (CuelineError.isInstance(error)) throw error;
    throw unreadableSourceError(name, `cannot be read (${errorMessage(error)})`, error);
  }
}

async function statOf(fs: Fs, path: string | URL): Promise<{ size: number; isDirectory: boolean }> {
  const stat = await fs.stat(path);
  return { size: stat.size, isDirectory: stat.isDirectory() };
}

/** Does not read a file whose size alone is too large. */
async function readText(fs: Fs, path: string | URL, size: number): Promise<string> {
  return size > fileLimits.characters * 4 ? '' : fs.readFile(path, 'utf8');
}

function join(folder: string | URL, file: string): string | URL {
  if (typeof folder === 'string') return `${folder.replace(/\/$/, '')}/${file}`;
  return new URL(file, folder.href.endsWith('/') ? folder : `${folder.href}/`);
}

async function readAddress(address: string, options: ReadSourceOptions): Promise<SourceContent> {
  const { fetch: get = fetch, signal } = options;
  const name = sourceName(address);
  const advice = /^https?:/i.test(address)
    ? 'Check the address.'
    : 'Check the path: in a page, it is an address relative to that of the page.';
  const timeout = AbortSignal.timeout(TIMEOUT_MS);
  try {
    const response = await get(address, {
      headers: { accept: 'application/json' },
      signal: signal === undefined ? timeout : AbortSignal.any([signal, timeout]),
    });
    if (!response.ok) {
      await response.body?.cancel();
      throw unreadableSourceError(name, `answered with status ${response.status}`, undefined, advice);
    }
    const text = await readBody(response);
    // as an app's server answers for a file that it does not have
    if (/^\s*</.test(text))
      throw unreadableSourceError(name, 'answered with a web page, not with JSON', undefined, advice);
    return toContent(name, text.length, text);
  } catch (error) {
    if (CuelineError.isInstance(error)) throw error;
    if (signal?.aborted === true) throw signal.reason;
    throw unreadableSourceError(name, `cannot be read (${errorMessage(error)})`, error, advice);
  }
}

/** Returns the text of a response, or as much of it as shows that it is too long. */
async function readBody({ body }: Response): Promise<string> {
  let text = '';
  if (body === null) return text;
  const decoder = new TextDecoder();
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  // without `for await`, which Safari lacks for streams
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length <= fileLimits.characters) continue;
    reader.cancel().catch(() => {});
    return text;
  }
}

/** Without its query, which may contain a key. */
function sourceName(address: string): string {
  return address.replace(/[?#].*$/s, '').replace(/\/\/[^/@]*@/, '//');
}

/** Returns the value of a JSON text. @throws CuelineError `invalid_library` */
export function toContent(name: string, size: number, text: string): SourceContent {
  if (Math.max(size / 4, text.length) > fileLimits.characters) {
    throw unreadableSourceError(
      name,
      `is longer than ${fileLimits.characters} characters`,
      undefined,
      'Split the file.',
    );
  }
  try {
    // Windows editors write a byte order mark
    const value: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return { name, value };
  } catch (error) {
    throw unreadableSourceError(name, `is not JSON (${errorMessage(error)})`, error, 'Correct the JSON.');
  }
}

function unreadableSourceError(
  name: string,
  problem: string,
  cause?: unknown,
  advice?: string,
): CuelineError {
  const path = shorten(name, 300) || 'An empty path';
  return new CuelineError(
    'invalid_library',
    `${path} ${problem}. ${advice ?? 'Check the path: a relative one begins at the working directory.'}`,
    { cause, details: { issues: [{ path, message: problem }], count: 1 } },
  );
}

function errorMessage(error: unknown): string {
  return shorten(thrownText(error), 200);
}
