import { examples } from '../examples/index.ts';
import { copyName, isUnsaved, nameOf, newOpenScript, type OpenText } from '../state/open-script.ts';
import { usePlayground, type RunSession } from '../state/store.ts';
import { offerUndo, toast } from '../ui/toast.ts';
import { reportBlocked, saveNow, scriptChanged, scripts, toOpenText } from './history.ts';
import { useLibrary } from './library.ts';
import type { VersionRow } from './rows.ts';
import type { RemovedScript } from './script-store.ts';

const template = `import { definePrompt } from '@cueline/core';

export default definePrompt('untitled', async (prompt) => {
  prompt.defSystem('role', 'You are a helpful assistant.');

  prompt.$\`Say hello.\`;
});
`;

/** Puts a stored script into the editor. */
export async function openScript(id: string): Promise<void> {
  const { openScript: open, leftUnsaved, openText } = usePlayground.getState();
  if (open.id === id) return;
  const unsaved = leftUnsaved.find((one) => one.open.id === id);
  if (unsaved !== undefined) return openText(unsaved);
  try {
    const row = await scripts.get(id);
    if (row === undefined) toast.error('This script is not stored any more.');
    else usePlayground.getState().openText(toOpenText(row));
  } catch (error) {
    reportBlocked(error);
  }
}

/** Opens the script of a run in the editor: the stored text, or the text that ran if the script is not stored. */
export async function openScriptOf({ source, openScript: ran }: RunSession): Promise<void> {
  if (!('script' in source) || ran === undefined) return;
  const row = await scripts.get(ran.id).catch(() => undefined);
  const name = nameOf({ open: ran, text: source.script });
  // an unedited example is one again
  const asItRan = { open: newOpenScript(ran.kept ? 'run' : ran.origin, name), text: source.script };
  usePlayground.getState().openText(row === undefined ? asItRan : toOpenText(row));
}

/** Puts a new script into the editor, with the cursor at the name of its prompt. */
export function newScript(): void {
  const { openText, showLine } = usePlayground.getState();
  openText({ open: newOpenScript('own'), text: template });
  const before = template.slice(0, template.indexOf('untitled')).split('\n');
  showLine(before.length, before.at(-1)!.length + 1);
}

/** Puts a copy of the script in the editor there. */
export function duplicateScript(): void {
  const script = current();
  usePlayground.getState().openText({
    open: newOpenScript('own', copyName(nameOf(script))),
    text: script.text,
  });
}

function current(): OpenText {
  const { openScript: open, script: text } = usePlayground.getState();
  return { open, text };
}

/** Names the script in the editor. This makes an example, link or file one of the user's own scripts. */
export async function renameScript(name: string): Promise<void> {
  const { open } = current();
  usePlayground.setState({ openScript: { ...open, name, kept: true } });
  try {
    await saveNow();
    const { id } = current().open;
    await scripts.rename(id, name);
    await scriptChanged(id);
  } catch (error) {
    reportBlocked(error);
  }
}

/** Deletes the script in the editor, and offers to undo this. Another script of the user replaces it, or an example. */
export async function deleteScript(): Promise<void> {
  const { id } = current().open;
  try {
    await saveNow();
    const removed = await scripts.remove(id);
    const script = current();
    // opening another script would keep a version of this one
    usePlayground.setState({ openScript: { ...script.open, kept: false, isSaved: false } });
    const next = useLibrary.getState().scripts.find((row) => row.id !== id);
    const [example] = examples;
    usePlayground
      .getState()
      .openText(
        next === undefined
          ? { open: newOpenScript('example', example!.title), text: example!.source }
          : toOpenText(next),
      );
    const leftUnsaved = usePlayground.getState().leftUnsaved.filter(({ open }) => open.id !== id);
    usePlayground.setState({ previousScript: undefined, leftUnsaved });
    await scriptChanged(id);
    offerUndo(`“${nameOf(script)}” is deleted.`, () => undoDelete(script, removed));
  } catch (error) {
    reportBlocked(error);
  }
}

async function undoDelete(script: OpenText, removed: RemovedScript): Promise<void> {
  try {
    const id = await scripts.restore(removed);
    if (isUnsaved(script.open)) usePlayground.getState().openText(script);
    else await openScript(id);
    await scriptChanged(id);
  } catch (error) {
    reportBlocked(error);
  }
}

/** The versions of the script in the editor, the latest first. */
export async function readVersions(): Promise<VersionRow[]> {
  try {
    await saveNow();
    return await scripts.versions(usePlayground.getState().openScript.id);
  } catch (error) {
    reportBlocked(error);
    return [];
  }
}

/** Puts an earlier version of the script into the editor; the text that was there becomes a version itself. */
export async function restoreVersion({ text }: VersionRow): Promise<void> {
  const { open, text: before } = current();
  try {
    await scripts.keepVersion(open.id, before, 'restore');
  } catch (error) {
    reportBlocked(error);
  }
  usePlayground.getState().edit(text);
}
