import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { TextInput } from '../../ui/form-controls.tsx';
import { Modal } from '../../ui/modal.tsx';

type RenameDialogProps = { name: string; onRename: (name: string) => void; onClose: () => void };

/** Asks for a new name for the script in the editor. */
export function RenameDialog({ name, onRename, onClose }: RenameDialogProps) {
  const [text, setText] = useState(name);
  const trimmed = text.trim();
  return (
    <Modal
      open
      onOpenChange={onClose}
      title="Rename the script"
      description="The name is for you: the list of your scripts and the runs show it."
      focusFirst="input"
    >
      <form
        className="flex items-end gap-2 px-5 pb-5"
        onSubmit={(event) => {
          event.preventDefault();
          if (trimmed === '') return;
          onRename(trimmed);
          onClose();
        }}
      >
        <TextInput label="Name" value={text} onText={setText} maxLength={120} className="flex-1" />
        <Button type="submit" variant="primary" disabled={trimmed === ''}>
          Rename
        </Button>
      </form>
    </Modal>
  );
}
