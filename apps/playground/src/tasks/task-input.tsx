import { clsx } from 'clsx';
import { useCallback, useEffect, useState } from 'react';
import { forgetDrafts, useKeptState, type DraftOwner } from '../input/use-kept-state.ts';
import { Button } from '../ui/button.tsx';
import { focusFirst } from '../ui/focus-first.ts';
import { isComposing } from '../ui/keys.tsx';

type TaskInputProps = {
  /** The text is kept for it until the input closes. */
  owner: DraftOwner;
  label: string;
  /** The initial text. */
  title: string;
  action: string;
  /** True once the list accepts nothing more. The text stays, to be copied. */
  ended: boolean;
  /** True while an earlier moment of the run is shown. */
  hidden?: boolean;
  /** True if the input stays for the next task after one was accepted. */
  forSeveral?: boolean;
  /** Resolves with whether the text was accepted; if not, the input stays with it. */
  onSave: (title: string) => Promise<boolean>;
  onClose: () => void;
};

/** An input for a task. Enter saves, Esc leaves it. */
export function TaskInput(props: TaskInputProps) {
  const { owner, label, title: before, action, ended, hidden = false } = props;
  const { forSeveral = false, onSave, onClose: close } = props;
  const { run, id } = owner;
  const [title, setTitle] = useKeptState(owner, 'title', () => before);
  const [saving, setSaving] = useState(false);
  const ready = title.trim() !== '' && !saving;
  const isUntouched = title.trim() === before;
  // an input that is drawn again does not take the focus
  const [wasWritten] = useState(!isUntouched);
  const onClose = useCallback((): void => {
    forgetDrafts({ run, id });
    close();
  }, [run, id, close]);
  useEffect(() => {
    if (ended && isUntouched) onClose();
  }, [ended, isUntouched, onClose]);
  const save = async (form: HTMLFormElement): Promise<void> => {
    if (ended) return onClose();
    if (!ready) return;
    if (isUntouched) return onClose();
    setSaving(true);
    const isAccepted = await onSave(title.trim());
    if (isAccepted && !forSeveral) return onClose();
    setSaving(false);
    if (!isAccepted) return;
    setTitle('');
    focusFirst(form.querySelector('input'));
  };
  return (
    // oxlint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- the keys of the controls inside
    <form
      className={clsx('min-w-0 flex-1 items-center gap-1.5', hidden ? 'hidden' : 'flex')}
      onSubmit={(event) => {
        event.preventDefault();
        void save(event.currentTarget);
      }}
      onKeyDown={(event) => {
        if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return;
        // Esc also stops the run
        event.preventDefault();
        onClose();
      }}
    >
      <input
        ref={wasWritten ? undefined : focusFirst}
        aria-label={label}
        placeholder="What needs to be done"
        value={title}
        readOnly={ended}
        onChange={(event) => setTitle(event.target.value)}
        onFocus={(event) => event.target.select()}
        className="h-7 min-w-0 flex-1 rounded-md border border-line-strong bg-panel px-2 text-base outline-none placeholder:text-ink-3 focus-visible:border-focus narrow:h-11"
      />
      {ended && <span className="shrink-0 text-sm text-ink-2">The run has ended.</span>}
      <Button type="submit" variant="outline" disabled={!ready && !ended}>
        {ended ? 'Close' : action}
      </Button>
    </form>
  );
}
