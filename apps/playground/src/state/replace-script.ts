import { toast } from '../ui/toast.ts';
import type { ScriptOrigin } from './open-script.ts';
import { usePlayground } from './store.ts';

let shown: string | number | undefined;

/** Puts another script into the editor under this name, and offers the way back to the user's own. */
export function replaceScript(source: string, name: string, origin: ScriptOrigin = 'example'): void {
  const before = usePlayground.getState().openScript;
  usePlayground.getState().replaceScript(source, { origin, name });
  usePlayground.setState({ notice: undefined });
  // The notice was about the previous script.
  if (shown !== undefined) toast.dismiss(shown);
  if (usePlayground.getState().previousScript?.open.id !== before.id) return;
  const offer = toast(`“${name}” is in the editor.`, {
    description: 'Your own script is kept.',
    duration: 10_000,
    action: { label: 'Back to your script', onClick: () => usePlayground.getState().restoreScript() },
  });
  shown = offer;
  const stop = usePlayground.subscribe(({ previousScript }) => {
    if (previousScript?.open.id === before.id) return;
    stop();
    toast.dismiss(offer);
  });
}
