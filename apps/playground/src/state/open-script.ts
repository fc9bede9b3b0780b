import { isRecord } from '../ui/data/is-record.ts';
import { newId } from './new-id.ts';
import { createStorage, type TextStorage } from './storage.ts';

/** Where a script came from. `run`: it is the script of an earlier run. */
export type ScriptOrigin = 'own' | 'example' | 'link' | 'file' | 'run';

const origins: readonly unknown[] = ['own', 'example', 'link', 'file', 'run'] satisfies ScriptOrigin[];

/** The script in the editor, without its text. */
export type OpenScript = {
  readonly id: string;
  /** The name that the user gave it; missing if the script has the name of its prompt. */
  readonly name?: string | undefined;
  readonly origin: ScriptOrigin;
  /** True once it is one of the user's own scripts. An unedited example, link or file is not. */
  readonly kept: boolean;
  /** The stored revision that the text continues; 0 before the first. */
  readonly revision: number;
  /** True if the text is that of the stored revision. */
  readonly isSaved?: boolean | undefined;
  /** The id of the page that last edited the text. A reload makes a new page. */
  readonly writer?: string | undefined;
};

/** Names this page as the writer of its edits. */
export const pageId: string = newId();

export type OpenText = { readonly open: OpenScript; readonly text: string };

/** What a tab remembers across a reload: its scripts, and the runs that it shows. */
export type TabMemory = OpenText & {
  /** The user's script before this one. */
  readonly previous?: OpenText | undefined;
  /** What was in the editor before the script of a link. */
  readonly beforeLink?: OpenText | undefined;
  /** The user's scripts that left the editor before they were stored. */
  readonly unsaved?: readonly OpenText[] | undefined;
  /** The stored runs of the Script and the Prompts view. */
  readonly runs?: { readonly script?: string | undefined; readonly prompts?: string | undefined } | undefined;
};

const TAB = 'cueline:tab';
const LAST = 'cueline:script';
const SETTINGS = 'cueline:playground';
/** Holds the second script of an earlier version of the page until it is stored. */
const EARLIER = 'cueline:earlier-script';

/** The name of a script: the one that the user gave it, or the name of its first prompt. */
export function nameOf({ open, text }: OpenText): string {
  return open.name ?? promptNameOf(text) ?? 'Untitled';
}

/** The name of the first prompt that a script defines; of a long one its beginning. */
export function promptNameOf(text: string): string | undefined {
  return /definePrompt\(\s*(['"`])([^'"`\n]{1,120})[^'"`\n]*\1/.exec(text.slice(0, 100_000))?.[2];
}

/** The longest name of a script, in characters. */
export const MAX_NAME_LENGTH = 200;

/** The name of a copy, within the longest one. */
export function copyName(name: string): string {
  const mark = ' (copy)';
  return `${name.slice(0, MAX_NAME_LENGTH - mark.length)}${mark}`;
}

/** A script that is not one of the user's own yet. */
export function newOpenScript(origin: ScriptOrigin, name?: string): OpenScript {
  return {
    id: newId(),
    origin,
    kept: origin === 'own',
    revision: 0,
    writer: pageId,
    ...(name === undefined ? {} : { name: name.slice(0, MAX_NAME_LENGTH) }),
  };
}

/** True for the unedited script of a link. */
export function isOfLink({ origin, kept }: OpenScript): boolean {
  return origin === 'link' && !kept;
}

/** True for a script of the user whose text is not stored yet. */
export function isUnsaved({ kept, isSaved }: OpenScript): boolean {
  return kept && isSaved !== true;
}

/** What this tab shows after a reload; a new tab begins with the last script of the browser, stored or not. */
export function readTabMemory(): TabMemory | undefined {
  return (
    readMemory(parsed(() => sessionStorage, TAB)) ??
    readMemory(parsed(() => localStorage, LAST)) ??
    readEarlierVersion(parsed(() => localStorage, SETTINGS))
  );
}

/**
 * Remembers what the tab shows, and its script for new tabs. Both are written a moment later, or when the page
 * closes.
 */
export function createTabMemory(onProblem: (message: string) => void): (memory: TabMemory) => void {
  const tab = createStorage<TabMemory>({ onProblem, open: () => sessionStorage });
  const last = createStorage<TabMemory>({ onProblem, open: () => localStorage });
  return (memory) => {
    void tab.setItem(TAB, { state: memory, version: 1 });
    void last.setItem(LAST, { state: { open: memory.open, text: memory.text }, version: 1 });
  };
}

/** The user's other script, which an earlier version of the page has stored; undefined if there is none. */
export function readEarlierScript(): string | undefined {
  try {
    return localStorage.getItem(EARLIER) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Removes the script of {@link readEarlierScript}, once it is stored. */
export function forgetEarlierScript(): void {
  try {
    localStorage.removeItem(EARLIER);
  } catch {
    // it was not readable either
  }
}

function parsed(open: () => TextStorage, name: string): unknown {
  try {
    const text = open().getItem(name);
    return text === null ? undefined : (JSON.parse(text) as { state?: unknown }).state;
  } catch {
    return undefined;
  }
}

function readMemory(value: unknown): TabMemory | undefined {
  const script = readOpenText(value);
  if (script === undefined) return undefined;
  const { previous, beforeLink, unsaved, runs } = value as Record<string, unknown>;
  const { script: ofScript, prompts } = isRecord(runs) ? runs : {};
  return {
    ...script,
    previous: readOpenText(previous),
    beforeLink: readOpenText(beforeLink),
    unsaved: Array.isArray(unsaved) ? unsaved.flatMap((one: unknown) => readOpenText(one) ?? []) : [],
    runs: {
      ...(typeof ofScript === 'string' ? { script: ofScript } : {}),
      ...(typeof prompts === 'string' ? { prompts } : {}),
    },
  };
}

function readOpenText(value: unknown): OpenText | undefined {
  if (!isRecord(value) || typeof value['text'] !== 'string' || !isRecord(value['open'])) return undefined;
  const { id, name, origin, kept, revision, isSaved, writer } = value['open'];
  if (typeof id !== 'string' || !origins.includes(origin) || typeof kept !== 'boolean') return undefined;
  if (typeof revision !== 'number') return undefined;
  const open = { id, origin: origin as ScriptOrigin, kept, revision, isSaved: isSaved === true };
  const named = typeof name === 'string' ? { ...open, name } : open;
  return { open: typeof writer === 'string' ? { ...named, writer } : named, text: value['text'] };
}

/** The scripts of the page's first version, which kept at most two beside the settings. */
function readEarlierVersion(state: unknown): TabMemory | undefined {
  if (!isRecord(state) || typeof state['script'] !== 'string') return undefined;
  const { script, previousScript, arrivedScript } = state;
  if (typeof previousScript === 'string') {
    try {
      localStorage.setItem(EARLIER, previousScript);
    } catch {
      // it stays in the settings until they are written
    }
  }
  const isOwn = script !== arrivedScript;
  const open = newOpenScript(isOwn ? 'own' : 'link');
  const text = script;
  if (typeof previousScript !== 'string') return { open, text };
  return { open, text, previous: { open: newOpenScript('own'), text: previousScript } };
}
