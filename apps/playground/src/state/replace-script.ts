import { toast } from 'sonner';
import { usePlayground } from './store.ts';

let shown: string | number | undefined;

/** Puts another script into the editor, and offers to restore the user's own. */
export function replaceScript(source: string, what: string): void {
  const before = usePlayground.getState().script;
  usePlayground.getState().replaceScript(source);
  usePlayground.setState({ notice: undefined });
  // The notice was about the previous script.
  if (shown !== undefined) toast.dismiss(shown);
  if (usePlayground.getState().previousScript !== before || before === source) return;
  const offer = toast(`${what} is in the editor.`, {
    description: 'Your own script is kept.',
    duration: 10_000,
    action: { label: 'Restore your script', onClick: () => usePlayground.getState().restoreScript() },
  });
  shown = offer;
  const stop = usePlayground.subscribe(({ previousScript }) => {
    if (previousScript === before) return;
    stop();
    toast.dismiss(offer);
  });
}
