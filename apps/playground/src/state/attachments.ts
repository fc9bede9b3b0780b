import type { UIMessage } from 'ai';
import { create } from 'zustand';
import type { RunView } from './reply-draft.ts';
import { createViewMemory } from './storage.ts';

/** A file for the next message: its bytes as a data URL, or its text, which every model can read. */
export type Attachment = {
  readonly id: number;
  readonly name: string;
  readonly mediaType: string;
  /** In bytes. */
  readonly size: number;
  readonly content: { readonly url: string } | { readonly text: string };
};

export type Attachments = {
  files: readonly Attachment[];
  /** Why some of the last files were not added. */
  problem: string | undefined;
};

/** How many files one message may have. */
export const MAX_FILES = 8;
/**
 * How many bytes of files a conversation may have. Each request sends all of them again, and the size of a message from
 * the sandbox is limited.
 */
export const MAX_BYTES = 5_000_000;

const MAX_NAME_LENGTH = 200;

// the names alone: files may be larger than what a tab can store
const memory = createViewMemory('cueline:files');

/** The files for the next message in each view. */
export const useAttachments = create<Record<RunView, Attachments>>()(() => ({
  script: { files: [], problem: problemOfReload('script') },
  prompts: { files: [], problem: problemOfReload('prompts') },
}));

useAttachments.subscribe((now, before) => {
  for (const view of ['script', 'prompts'] as const) {
    const { files } = now[view];
    if (files === before[view].files) continue;
    memory.write(view, files.length === 0 ? undefined : files.map(({ name }) => name));
  }
});

/** Names the files that the tab had before it was reloaded. */
function problemOfReload(view: RunView): string | undefined {
  const names = memory.read(view);
  if (!Array.isArray(names) || names.length === 0) return undefined;
  const files = names.slice(0, MAX_FILES).map((name) => String(name).slice(0, MAX_NAME_LENGTH));
  return `Attach ${files.join(', ')} again: files do not survive a reload of the page.`;
}

let lastId = 0;

/** Adds files to the next message in a view whose conversation has these messages, as far as they fit. */
export async function attach(
  view: RunView,
  added: readonly File[],
  messages: readonly UIMessage[],
): Promise<void> {
  change(view, { problem: undefined });
  for (const file of added) {
    const problem = refusal(view, file, messages);
    const attachment = problem === undefined ? await readFile(file).catch(() => undefined) : undefined;
    // another file may have been added while this one was read
    const late = problem ?? refusal(view, file, messages);
    const { files, problem: before } = useAttachments.getState()[view];
    if (attachment === undefined || late !== undefined) {
      const found = late ?? `${file.name} could not be read.`;
      change(view, { problem: before === undefined ? found : `${before} ${found}` });
      if (files.length >= MAX_FILES) return;
    } else {
      change(view, { files: [...files, attachment] });
    }
  }
}

function change(view: RunView, next: Partial<Attachments>): void {
  useAttachments.setState((all) => ({ [view]: { ...all[view], ...next } }));
}

/** Removes a file from the next message. */
export function detach(view: RunView, id: number): void {
  const { files } = useAttachments.getState()[view];
  change(view, { files: files.filter((file) => file.id !== id), problem: undefined });
}

/** Removes all files from the next message. */
export function clearAttachments(view: RunView): void {
  change(view, { files: [], problem: undefined });
}

/** True if the files fit into the conversation, which may have other messages than when they were attached. */
export function fitsConversation(view: RunView, messages: readonly UIMessage[]): boolean {
  const { files } = useAttachments.getState()[view];
  if (files.length === 0 || sizeOf(files) + bytesIn(messages) <= MAX_BYTES) return true;
  change(view, { problem: `The files are too large: ${limit}. Remove some.` });
  return false;
}

const limit = `the files of a conversation have at most ${MAX_BYTES / 1_000_000} MB together`;

function refusal(view: RunView, file: File, messages: readonly UIMessage[]): string | undefined {
  const { files } = useAttachments.getState()[view];
  if (files.length >= MAX_FILES) return `A message has at most ${MAX_FILES} files.`;
  if (sizeOf(files) + bytesIn(messages) + file.size <= MAX_BYTES) return undefined;
  return `${file.name} is too large: ${limit}.`;
}

function sizeOf(files: readonly Attachment[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

/** About how many bytes of files these messages have. */
function bytesIn(messages: readonly UIMessage[]): number {
  const sizes = messages.flatMap(({ role, parts }) => parts.map((part) => bytesOfPart(role, part)));
  return sizes.reduce((sum, size) => sum + size, 0);
}

function bytesOfPart(role: UIMessage['role'], part: UIMessage['parts'][number]): number {
  if (part.type === 'file') return Math.floor((part.url.length * 3) / 4);
  return role === 'user' && part.type === 'text' && textFile.test(part.text) ? part.text.length : 0;
}

/** The beginning of a part that {@link messageParts} makes of a text file. */
const textFile = /^File .+:\n\n/;

const textTypes =
  /^(?:text\/(?!rtf)|image\/svg|application\/(?:json|xml|javascript|yaml|x-yaml|x-ndjson|sql)\b)/;
// some systems report TypeScript files as video
const textNames =
  /\.(?:txt|md|csv|tsv|json|jsonl|ya?ml|toml|xml|svg|html?|css|[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cpp|sh|sql|log)$/i;

async function readFile(file: File): Promise<Attachment> {
  const facts = { id: ++lastId, name: file.name.slice(0, MAX_NAME_LENGTH) || 'file', size: file.size };
  const isText = textTypes.test(file.type) || textNames.test(file.name) || file.type === '';
  const text = isText ? textIn(await file.arrayBuffer()) : undefined;
  if (text !== undefined) return { ...facts, mediaType: 'text/plain', content: { text } };
  const mediaType = /^[\w.+-]+\/[\w.+-]+$/.test(file.type) ? file.type : 'application/octet-stream';
  const base64 = await base64Of(file);
  return { ...facts, mediaType, content: { url: `data:${mediaType};base64,${base64}` } };
}

/** Bytes as text; undefined if they are not text. */
function textIn(bytes: ArrayBuffer): string | undefined {
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}

async function base64Of(file: File): Promise<string> {
  const bytes = new Uint8Array(await file.arrayBuffer());
  let text = '';
  // in slices: a call takes a limited number of arguments
  for (let at = 0; at < bytes.length; at += 8_192)
    text += String.fromCharCode(...bytes.subarray(at, at + 8_192));
  return btoa(text);
}

/** The parts of a message with these files, and this text after them. */
export function messageParts(text: string, files: readonly Attachment[]): UIMessage['parts'] {
  const parts: UIMessage['parts'] = files.map(({ name, mediaType, content }) =>
    'url' in content
      ? { type: 'file', mediaType, filename: name, url: content.url }
      : { type: 'text', text: `File ${name}:\n\n${content.text}` },
  );
  return text === '' ? parts : [...parts, { type: 'text', text }];
}
