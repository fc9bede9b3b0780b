import { openPreview } from '../state/preview.ts';
import { mayTakeInput, useScriptInput } from '../state/script-input.ts';
import { isForeign, usePlayground } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { InputForm } from './lazy-panes.tsx';

/** The input of the script in the editor: a form before the first run, and one line that unfolds after it. */
export function InputSection() {
  const field = useScriptInput((state) => state.field);
  if (field === undefined) return <ForeignInput />;
  return <InputForm field={field} />;
}

/** A script from a link is loaded only after the user asks for it. */
function ForeignInput() {
  const asks = usePlayground(
    (page) => page.session === undefined && isForeign(page) && mayTakeInput(page.script),
  );
  if (!asks) return null;
  return (
    <div className="flex shrink-0 items-center gap-2.5 border-b border-line bg-panel py-1.5 pr-2 pl-4 text-ink-2">
      <p className="min-w-0 flex-1">This script may take an input. It has not been loaded yet.</p>
      <Button variant="outline" onClick={() => openPreview(true)}>
        Load it
      </Button>
    </div>
  );
}
