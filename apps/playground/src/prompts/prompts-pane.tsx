import { CopyPlus, Download, FilePlus2, FileUp, Library, Trash2, Undo2 } from 'lucide-react';
import { useMemo, useRef } from 'react';
import { NoticeBar } from '../panes/notice-bar.tsx';
import { UnreadableNote } from '../panes/unreadable-note.tsx';
import { useNarrow } from '../state/theme.ts';
import { Button } from '../ui/button.tsx';
import { FileInput } from '../ui/file-input.tsx';
import { Choose } from '../ui/form-controls.tsx';
import { PaneHeader } from '../ui/pane-header.tsx';
import { saveAsFile } from '../ui/save-as-file.ts';
import { offerUndo } from '../ui/toast.ts';
import { visibleText } from '../ui/visible-text.ts';
import { checkPrompts } from './check-prompts.ts';
import { toRecord } from './editable-prompt.ts';
import { openPromptFile } from './open-prompt-file.ts';
import { PromptForm } from './prompt-form.tsx';
import { PromptList } from './prompt-list.tsx';
import { entryOf, usePrompts } from './store.ts';

/** The prompts as a list, and the form of one version. */
export function PromptsPane() {
  const entries = usePrompts((state) => state.entries);
  const entry = usePrompts(entryOf);
  const hasPrevious = usePrompts((state) => state.previous.length > 0);
  const hasUnreadable = usePrompts((state) => state.hasUnreadable);
  const select = usePrompts((state) => state.select);
  const addPrompt = usePrompts((state) => state.addPrompt);
  const addVersion = usePrompts((state) => state.addVersion);
  const restore = usePrompts((state) => state.restore);
  const narrow = useNarrow();
  /** What takes the focus in the form that is shown next: each version has a form of its own. */
  const focusNext = useRef<'name' | 'new-version' | 'delete'>(undefined);
  const focusIf = (what: typeof focusNext.current, element: HTMLElement | null): boolean => {
    if (element === null || focusNext.current !== what) return false;
    focusNext.current = undefined;
    element.focus();
    return true;
  };
  const faults = useMemo(() => checkPrompts(entries.map(({ prompt }) => prompt)), [entries]);
  const at = entries.indexOf(entry);
  return (
    <section aria-label="Prompts" className="flex min-h-0 flex-1 flex-col bg-panel">
      <PaneHeader
        title={
          narrow ? (
            <Choose
              label="Prompt"
              quiet
              className="-ml-1 w-0 max-w-56 grow"
              value={entry.key}
              onChoose={select}
              options={entries.map(({ key, prompt }) => [
                key,
                // the version first, because it distinguishes entries whose names the width cuts
                visibleText(`${prompt.version} ${prompt.name || prompt.id}`),
              ])}
            />
          ) : (
            <>
              <Library className="size-3.5 text-ink-3" />
              Prompts
            </>
          )
        }
      >
        {hasPrevious && (
          <Button onClick={restore} aria-label="Restore your prompts">
            <Undo2 />
            <span className="narrow:hidden">Restore your prompts</span>
          </Button>
        )}
        <PromptButtons
          onNew={() => {
            focusNext.current = 'name';
            addPrompt();
          }}
        />
      </PaneHeader>
      <NoticeBar />
      {hasUnreadable && <UnreadableNote what="prompts" />}
      <div className="flex min-h-0 flex-1">
        {!narrow && <PromptList entries={entries} selected={entry.key} faults={faults} onSelect={select} />}
        <div className="scroll @container min-w-0 flex-1">
          <PromptForm
            key={entry.key}
            prompt={entry.prompt}
            faults={faults.get(at) ?? []}
            nameRef={(field) => {
              if (focusIf('name', field)) field?.select();
            }}
            actions={
              <>
                <Button
                  variant="outline"
                  ref={(button) => void focusIf('new-version', button)}
                  onClick={() => {
                    focusNext.current = 'new-version';
                    addVersion();
                  }}
                >
                  <CopyPlus />
                  New version
                </Button>
                <Button
                  square
                  aria-label="Delete this version"
                  title="Delete this version"
                  disabled={entries.length === 1}
                  ref={(button) => void focusIf('delete', button)}
                  onClick={() => {
                    // the only version cannot be deleted, so this button will be disabled
                    focusNext.current = entries.length > 2 ? 'delete' : 'new-version';
                    removeVersion(entry.key);
                  }}
                >
                  <Trash2 />
                </Button>
              </>
            }
          />
        </div>
      </div>
    </section>
  );
}

/** Adds a prompt, opens a file of prompts, and saves all of them as one. */
function PromptButtons({ onNew }: { onNew: () => void }) {
  const file = useRef<HTMLInputElement>(null);
  return (
    <>
      <Button square aria-label="New prompt" title="New prompt" onClick={onNew}>
        <FilePlus2 />
      </Button>
      <Button
        square
        aria-label="Open a prompt file"
        title="Open a prompt file"
        onClick={() => file.current?.click()}
      >
        <FileUp />
      </Button>
      <Button square aria-label="Save as a prompt file" title="Save as a prompt file" onClick={saveAll}>
        <Download />
      </Button>
      <FileInput
        ref={file}
        label="Prompt file"
        accept=".json"
        onFile={(chosen) => void openPromptFile(chosen)}
      />
    </>
  );
}

function saveAll(): void {
  const { entries } = usePrompts.getState();
  const records = entries.map(({ prompt }) => toRecord(prompt));
  saveAsFile('prompts.json', JSON.stringify(records, null, 2) + '\n');
}

function removeVersion(key: string): void {
  const { prompt } = entryOf(usePrompts.getState());
  const undo = usePrompts.getState().remove(key);
  offerUndo(`${prompt.id} ${prompt.version} is deleted.`, undo);
}
