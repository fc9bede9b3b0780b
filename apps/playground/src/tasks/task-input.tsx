import { useEffect, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { isComposing } from '../ui/keys.tsx';
import { focusFirst } from '../ui/focus-first.ts';

type TaskInputProps = {
  label: string;
  /** The initial text. */
  title: string;
  action: string;
  /** True once the list accepts nothing more. The text stays, to be copied. */
  ended: boolean;
  /** Resolves with whether the text was accepted; if not, the input stays. */
  onSave: (title: string) => Promise<boolean>;
  onClose: () => void;
};

/** An input for a task. Enter saves, Esc leaves it. */
export function TaskInput({ label, title: before, action, ended, onSave, onClose }: TaskInputProps) {
  const [title, setTitle] = useState(before);
  const [saving, setSaving] = useState(false);
  const ready = title.trim() !== '' && !saving;
  const isUntouched = title.trim() === before;
  useEffect(() => {
    if (ended && isUntouched) onClose();
  }, [ended, isUntouched, onClose]);
  const save = async (): Promise<void> => {
    if (ended) return onClose();
    if (!ready) return;
    if (isUntouched) return onClose();
    setSaving(true);
    if (await onSave(title.trim())) onClose();
    else setSaving(false);
  };
  return (
    <form
      className="flex min-w-0 flex-1 items-center gap-1.5"
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <input
        ref={focusFirst}
        aria-label={label}
        placeholder="What is to be done"
        value={title}
        readOnly={ended}
        onChange={(event) => setTitle(event.target.value)}
        onFocus={(event) => event.target.select()}
        onKeyDown={(event) => {
          if (event.key !== 'Escape' || isComposing(event.nativeEvent)) return;
          // Esc also stops the run
          event.preventDefault();
          onClose();
        }}
        className="h-7 min-w-0 flex-1 rounded-md border border-line-strong bg-panel px-2 text-base outline-none placeholder:text-ink-3 focus-visible:border-focus narrow:h-11"
      />
      {ended && <span className="shrink-0 text-sm text-ink-2">The run has ended.</span>}
      <Button type="submit" look="outline" disabled={!ready && !ended}>
        {ended ? 'Close' : action}
      </Button>
    </form>
  );
}
