import { ModelDialog } from '../settings/model-dialog.tsx';
import { OpenLinkDialog } from '../transcript/content/open-link-dialog.tsx';
import { CommandPalette } from './commands/command-palette.tsx';

/** The dialogs that open from more than one place. */
export function Dialogs() {
  return (
    <>
      <ModelDialog />
      <OpenLinkDialog />
      <CommandPalette />
    </>
  );
}
