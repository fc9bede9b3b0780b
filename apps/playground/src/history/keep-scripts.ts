import { isUnsaved, nameOf, type OpenScript, type OpenText } from '../state/open-script.ts';
import { unsavedScripts, type PlaygroundState } from '../state/store.ts';
import type { ScriptRow } from './rows.ts';
import type { ScriptStore } from './script-store.ts';

/** How long an edit may wait before it is stored, in milliseconds. */
const DELAY_MS = 400;

/** The part of the page's store that this uses. */
export type ScriptPage = {
  getState(): Pick<PlaygroundState, 'script' | 'openScript' | 'leftUnsaved' | 'session'>;
  setState(change: Partial<Pick<PlaygroundState, 'script' | 'openScript' | 'leftUnsaved'>>): void;
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

/**
 * Stores the script in the editor while it is edited. The page holds every text that is not stored yet, also one that
 * could not be stored, and one that has left the editor.
 */
export type ScriptKeeper = {
  /** Stores all texts that are not stored yet. */
  flush(): Promise<void>;
  /** Shows the stored text of the open script, if another tab has changed it and this one has not. */
  refresh(): Promise<void>;
  stop(): void;
};

/**
 * The revisions of a script that this page has continued, from the first to the last, and where the last was saved:
 * in the same script, or in a copy.
 */
type PageSaves = { from: number; to: number; saved: Pick<OpenScript, 'id' | 'revision'> };

/** Keeps the scripts of this page in this store. */
export function keepScripts(options: KeepScriptsOptions): ScriptKeeper {
  const { page, store, onProblem, onSaved, onCopied, delay = DELAY_MS } = options;
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
    if (kind === 'outdated') return showStored({ open, text }, script);
    const { id, revision, name } = script;
    const saved = { id, revision };
    const change = { ...saved, ...(name === undefined ? {} : { name }) };
    // the revision of a copy is not one of the script that it was copied from
    saves.set(open.id, { from, to: id === open.id ? revision : to, saved });
    if (id !== open.id) saves.set(id, { from: saves.get(id)?.from ?? revision, to: revision, saved });
    const { openScript, script: now, leftUnsaved } = page.getState();
    if (openScript.id === open.id) {
      page.setState({ openScript: { ...openScript, ...change, isSaved: now === text } });
    }
    if (leftUnsaved.some((one) => one.open.id === open.id)) {
      page.setState({ leftUnsaved: stillUnsaved(leftUnsaved, { open, text }, change) });
    }
    if (kind === 'copied') onCopied(nameOf({ open: { ...open, name }, text }));
    onSaved(id);
  }

  /** Puts the stored text in the place of this one, unless it was edited since. */
  function showStored({ open, text }: OpenText, { id, revision, name, text: script }: ScriptRow): void {
    const { openScript, script: now, leftUnsaved } = page.getState();
    const isSame = (one: OpenText): boolean => one.open.id === open.id && one.text === text;
    if (leftUnsaved.some(isSame)) page.setState({ leftUnsaved: leftUnsaved.filter((one) => !isSame(one)) });
    if (!isSame({ open: openScript, text: now })) return;
    // an example that was edited has lost its title, so a missing name counts, too
    page.setState({ script, openScript: { ...openScript, id, revision, name, kept: true, isSaved: true } });
  }

  function flush(): Promise<void> {
    clearTimeout(timer);
    timer = undefined;
    for (const { open } of unsavedScripts(page.getState())) {
      void inTurn(async () => {
        // an earlier save may have stored it, or it was edited since
        const latest = unsavedScripts(page.getState()).find((one) => one.open.id === open.id);
        if (latest !== undefined) await save(latest);
      });
    }
    return last;
  }

  function saveSoon(): void {
    timer ??= setTimeout(() => void flush(), delay);
  }

  function keepVersion({ open, text }: OpenText, reason: 'run' | 'switch'): void {
    if (!open.kept || text.trim() === '') return;
    void flush();
    void inTurn(() => store.keepVersion(open.id, text, reason));
  }

  async function refresh(): Promise<void> {
    const { open } = current();
    return inTurn(async () => {
      const row = await store.get(open.id);
      const { open: now, text } = current();
      if (now.id !== open.id) return;
      if (isUnsaved(now) && text !== row?.text) return save({ open: now, text });
      if (row !== undefined) return showStored({ open: now, text }, row);
      if (now.kept) page.setState({ openScript: { ...now, kept: false, isSaved: false } });
    });
  }

  const stop = watchScript(page, {
    onSwitch(was, hasChanged) {
      if (hasChanged) keepVersion(was, 'switch');
      void flush();
      // another tab may have changed it since
      void refresh();
    },
    onEdit: saveSoon,
    onRun: (script) => keepVersion(script, 'run'),
  });

  return { flush, refresh, stop };
}

/**
 * Returns the texts that are not stored yet, once one of them is stored. `change` is what that changes in its script.
 */
function stillUnsaved(
  unsaved: readonly OpenText[],
  { open, text }: OpenText,
  change: Partial<OpenScript>,
): OpenText[] {
  return unsaved.flatMap((one) => {
    if (one.open.id !== open.id) return one;
    return one.text === text ? [] : { open: { ...one.open, ...change }, text: one.text };
  });
}

/** Watches the script of a page: another one is opened, the open one is edited, or it is run. */
function watchScript(
  page: ScriptPage,
  on: {
    onSwitch(was: OpenText, hasChanged: boolean): void;
    onEdit(): void;
    onRun(script: OpenText): void;
  },
): () => void {
  return page.subscribe((state, before) => {
    const is = { open: state.openScript, text: state.script };
    const was = { open: before.openScript, text: before.script };
    if (is.open.id !== was.open.id) on.onSwitch(was, is.text !== was.text);
    else if (is.text !== was.text && isUnsaved(is.open)) on.onEdit();
    const { session } = state;
    if (session === undefined || session === before.session || session.shared) return;
    const isNew = session.id !== before.session?.id;
    if (isNew && 'script' in session.source && session.source.script === is.text) on.onRun(is);
  });
}
