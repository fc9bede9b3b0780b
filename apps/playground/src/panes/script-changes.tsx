import { Modal } from '../ui/modal.tsx';
import { TextDiff } from '../ui/text-diff.tsx';

type ScriptChangesProps = {
  /** The script that ran. */
  ran: string;
  /** The script in the editor. */
  script: string;
  onClose: () => void;
};

/** The differences between the script that ran and the one in the editor. */
export function ScriptChanges({ ran, script, onClose }: ScriptChangesProps) {
  return (
    <Modal
      open
      onOpenChange={(open) => !open && onClose()}
      wide
      title="Changes since this run"
      description="What is struck through ran; what is underlined is in the editor now."
    >
      <pre
        // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- the keyboard scrolls it
        tabIndex={0}
        role="region"
        aria-label="Changed script"
        className="scroll mx-5 mb-5 max-h-[60dvh] rounded-lg border border-line bg-raised px-3 py-2.5 font-mono text-sm wrap-anywhere whitespace-pre-wrap"
      >
        <TextDiff before={ran} after={script} folds />
      </pre>
    </Modal>
  );
}
