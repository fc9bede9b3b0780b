import { useEffect } from 'react';
import { usePlayground } from '../../state/store.ts';
import { isApple, openDialogs } from '../../ui/keys.tsx';

/** ⌘/Ctrl+K opens and closes the command palette, unless another dialog is open. */
export function usePaletteKey(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      const isModified = isApple ? event.metaKey : event.ctrlKey;
      // a browser that fills in a form sends events without a key
      if (event.key?.toLowerCase() !== 'k' || !isModified || event.altKey || event.shiftKey) return;
      const { commandsOpen } = usePlayground.getState();
      if (!commandsOpen && document.querySelector(openDialogs) !== null) return;
      event.preventDefault();
      event.stopPropagation();
      if (!event.repeat) usePlayground.setState({ commandsOpen: !commandsOpen });
    };
    // Capturing, because the editor would wait for a second key.
    addEventListener('keydown', press, { capture: true });
    return () => removeEventListener('keydown', press, { capture: true });
  }, []);
}
