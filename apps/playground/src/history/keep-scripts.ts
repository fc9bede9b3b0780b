import { nameOf, type OpenScript, type OpenText } from '../state/open-script.ts';
import type { PlaygroundState } from '../state/store.ts';
import type { ScriptStore } from './script-store.ts';

/** How long an edit may wait before it is stored, in milliseconds. */
const DELAY_MS = 400;

/** The part of the page's store that this uses. */
export type ScriptPage = {
  getState(): Pick<PlaygroundState, 'script' | 'openScript' | 'session'>;
  setState(change: Partial<Pick<PlaygroundState, 'script' | 'openScript'>>): void;
  subscribe(listener: (state: PlaygroundState, before: PlaygroundState) => void): () => void;
};

export type KeepScriptsOptions = {
  page: ScriptPage;
  store: ScriptStore;
  onProblem: (error: unknown) => void;
  /** Called after a script was stored. */
  onSaved: (id: string) => void;
  /** Called when another tab has changed the script, too, so that this tab's text has become a separate script. */
  onCopied: (name: string) => void;
  delay?: number;
};

/** Stores the script in the editor while it is edited. */
export type ScriptKeeper = {
  /** Stores the pending edits. */
  flush(): Promise<void>;
  /** Shows the stored text of the open script, if another tab has changed it and this one has not. */
  refresh(): Promise<void>;
  stop(): void;
};

/**
 * The revisions of a script that this page has continued, from the first to the last, and where the last was saved: in the
 * same script, or in a copy.
 */
type PageSaves = { from: number; to: number; saved: Pick<OpenScript, 'id' | 'revision' | 'name'> };

/** Keeps the scripts of this page in this store. */
export function keepScripts(options: KeepScriptsOptions): ScriptKeeper {
  const { page, store, onProblem, onSaved, onCopied, delay = DELAY_MS } = options;
  /** The texts that are not stored yet, by script. */
  const waiting = new Map<string, OpenText>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let last: Promise<void> = Promise.resolve();
  /** What this page has saved, by the id of the script. An edit made before the last save continues from that save. */
  const saves = new Map<string, PageSaves>();

  /** Saves run one after another, so that each continues the revision of the one before. */
  function inTurn(work: () => Promise<void>): Promise<void> {
    last = last.then(work).catch(onProblem);
    return last;
  }

  function current(): OpenText {
    const { openScript, script } = page.getState();
    return { open: openScript, text: script };
  }

  async function save({ open, text }: OpenText): Promise<void> {
    const known = saves.get(open.id);
    const isOwn = known !== undefined && open.revision >= known.from && open.revision <= known.to;
    const { from, to } = isOwn ? known : { from: open.revision, to: open.revision };
    const latest = isOwn ? { ...open, ...known.saved } : open;
    const { kind, script } = await store.save({ open: latest, text });
    const { id, revision, name } = script;
    const saved = { id, revision, ...(name === undefined ? {} : { name }) };
    // the revision of a copy is not one of the script that it was copied from
    saves.set(open.id, { from, to: id === open.id ? revision : to, saved });
    if (id !== open.id) saves.set(id, { from: saves.get(id)?.from ?? revision, to: revision, saved });
    const { openScript, script: now } = page.getState();
    if (openScript.id === open.id) {
      page.setState({ openScript: { ...openScript, ...saved, isSaved: now === text } });
    }
    if (kind === 'copied') onCopied(nameOf({ open: { ...open, name }, text }));
    onSaved(id);
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    const all = [...waiting.values()];
    waiting.clear();
    for (const saving of all) void inTurn(() => saveOrWait(saving));
    return last;
  }

  /** A text that could not be stored waits for the next flush, unless there is a newer one. */
  async function saveOrWait(saving: OpenText): Promise<void> {
    try {
      await save(saving);
    } catch (error) {
      if (!waiting.has(saving.open.id)) waiting.set(saving.open.id, saving);
      throw error;
    }
  }

  function saveSoon(script: OpenText): void {
    waiting.set(script.open.id, script);
    timer ??= setTimeout(() => void flush(), delay);
  }

  function keepVersion({ open, text }: OpenText, reason: 'run' | 'switch'): void {
    if (!open.kept || text.trim() === '') return;
    void flush();
    void inTurn(() => store.keepVersion(open.id, text, reason));
  }

  async function refresh(): Promise<void> {
    const { open } = current();
    if (!open.kept) return last;
    return inTurn(async () => {
      const row = await store.get(open.id);
      const { open: now, text } = current();
      // a pending edit is saved next, and the save compares it with the stored text
      if (now.id !== open.id || waiting.has(open.id)) return;
      if (row === undefined) return now.revision === 0 ? save({ open: now, text }) : undefined;
      if (text !== row.text && now.isSaved !== true) return save({ open: now, text });
      // the text that a new tab begins with may be newer than what is stored
      if (text !== row.text && now.revision === row.revision) {
        await store.keepVersion(row.id, text, 'conflict');
      }
      const { id, revision, name, text: script } = row;
      const openScript = { ...now, id, revision, isSaved: true, ...(name === undefined ? {} : { name }) };
      if (page.getState().script === text) page.setState({ script, openScript });
    });
  }

  const stop = watchScript(page, {
    onSwitch(was, hasChanged) {
      if (hasChanged) keepVersion(was, 'switch');
      // another tab may have changed it since
      void refresh();
    },
    onEdit: saveSoon,
    onRun: (script) => keepVersion(script, 'run'),
  });

  return { flush, refresh, stop };
}

/** Watches the script of a page: another one is opened, the open one is edited, or it is run. */
function watchScript(
  page: ScriptPage,
  on: {
    onSwitch(was: OpenText, hasChanged: boolean): void;
    onEdit(script: OpenText): void;
    onRun(script: OpenText): void;
  },
): () => void {
  return page.subscribe((state, before) => {
    const is = { open: state.openScript, text: state.script };
    const was = { open: before.openScript, text: before.script };
    if (is.open.id !== was.open.id) on.onSwitch(was, is.text !== was.text);
    else if (is.text !== was.text && is.open.isSaved !== true && is.open.kept) on.onEdit(is);
    const { session } = state;
    if (session === undefined || session === before.session || session.shared) return;
    const isNew = session.id !== before.session?.id;
    if (isNew && 'script' in session.source && session.source.script === is.text) on.onRun(is);
  });
}
