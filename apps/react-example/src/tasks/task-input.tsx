import { useState, type FormEvent } from 'react';
import { Button } from '../ui/button.tsx';

type TaskInputProps = {
  label: string;
  action: string;
  text?: string;
  onSave: (text: string) => void;
  /** For an input that can be left without saving, also by Escape. It then has the focus at first. */
  onCancel?: () => void;
};

/** One line of text and a button. */
export function TaskInput({ label, action, text: initial = '', onSave, onCancel }: TaskInputProps) {
  const [text, setText] = useState(initial);

  function submit(event: FormEvent): void {
    event.preventDefault();
    if (text.trim() === '') return;
    onSave(text.trim());
    setText('');
  }

  return (
    <form onSubmit={submit} className="flex min-w-0 flex-1 flex-wrap gap-2">
      <input
        aria-label={label}
        placeholder={label}
        value={text}
        // it appears because the user has asked for it
        // oxlint-disable-next-line jsx-a11y/no-autofocus
        autoFocus={onCancel !== undefined}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={(event) => event.key === 'Escape' && onCancel?.()}
        className="field flex-1 basis-40"
      />
      <Button type="submit">{action}</Button>
      {onCancel !== undefined && (
        <Button variant="ghost" onClick={onCancel}>
          Cancel
        </Button>
      )}
    </form>
  );
}
