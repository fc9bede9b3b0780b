import { useId, useState, type ReactNode } from 'react';
import { Button } from '../ui/button.tsx';
import { Modal } from '../ui/modal.tsx';

type EditDialogProps = {
  title: string;
  description: ReactNode;
  /** The name of the text. */
  label: string;
  text: string;
  mono: boolean;
  onChange: (text: string) => void;
  /** A choice above the text. */
  children?: ReactNode;
  /** Starts the run and closes the dialog; if the text cannot be used, returns the reason. */
  onRun: () => string | undefined;
  onClose: () => void;
};

/** A dialog for a text with which a run continues. */
export function EditDialog(props: EditDialogProps) {
  const { title, description, label, text, mono, onChange, children, onRun, onClose } = props;
  const [fault, setFault] = useState<string>();
  const [first] = useState(text);
  const ids = { text: useId(), fault: useId() };
  const run = (): void => {
    const wrong = onRun();
    setFault(wrong);
    if (wrong === undefined) onClose();
  };
  return (
    <Modal
      open
      onOpenChange={(open) => !open && onClose()}
      title={title}
      description={description}
      focusFirst="textarea"
      hasText={text !== first}
    >
      <form
        className="grid gap-3 px-5 pb-5"
        onSubmit={(event) => {
          event.preventDefault();
          run();
        }}
      >
        {children}
        <div>
          <label htmlFor={ids.text} className="mb-1 block text-sm font-medium">
            {label}
          </label>
          <textarea
            id={ids.text}
            aria-invalid={fault !== undefined}
            aria-describedby={fault === undefined ? undefined : ids.fault}
            spellCheck={!mono}
            value={text}
            onChange={(event) => {
              onChange(event.target.value);
              setFault(undefined);
            }}
            onKeyDown={(event) => {
              if (event.key !== 'Enter' || !(event.metaKey || event.ctrlKey)) return;
              // otherwise the page would run the script from its beginning
              event.preventDefault();
              event.stopPropagation();
              run();
            }}
            className={`scroll field-sizing-content max-h-[40vh] min-h-28 w-full resize-y rounded-md border border-line-strong bg-page px-2.5 py-2 outline-none focus-visible:border-focus aria-invalid:border-danger ${
              mono ? 'font-mono text-sm' : 'text-base'
            }`}
          />
          {fault !== undefined && (
            <p id={ids.fault} role="alert" className="mt-1 text-sm text-danger wrap-anywhere">
              {fault}
            </p>
          )}
        </div>
        <footer className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" variant="primary">
            Continue with this
          </Button>
        </footer>
      </form>
    </Modal>
  );
}
