import { useEffect } from 'react';
import { focusApproval } from '../approval/focus-approval.ts';
import { usePlayground } from '../state/store.ts';
import { isComposing, openDialogs } from '../ui/keys.tsx';
import { startOpenView, stopOpenView } from './start-and-stop.ts';

/**
 * ⌘/Ctrl+Enter runs the open view from everywhere except forms, with Shift it moves the focus to the waiting
 * card; Esc leaves a field, and elsewhere stops a run, unless a menu, a dialog or the editor uses the key.
 */
export function useRunKeys(): void {
  useEffect(() => {
    const run = (event: KeyboardEvent): void => {
      if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.altKey) return;
      if (event.shiftKey) return focusApproval();
      // a form uses this key itself, and nothing runs behind a dialog
      const within = event.target instanceof Element && event.target.closest('form, [role=alertdialog]');
      const { modelDialogOpen, commandsOpen } = usePlayground.getState();
      if (within || modelDialogOpen || commandsOpen || document.querySelector(openDialogs) !== null) return;
      event.preventDefault();
      event.stopPropagation();
      if (!event.repeat) startOpenView();
    };
    const stop = (event: KeyboardEvent): void => {
      // the repetitions of a key that has closed something do not stop the run
      if (event.key !== 'Escape' || event.defaultPrevented || event.repeat || isComposing(event)) return;
      const field = fieldOf(event.target);
      if (field === undefined) stopOpenView();
      // the browser clears a search with Esc
      else if (field.type !== 'search' || field.value === '') field.blur();
    };
    // Capturing, because the editor would insert a new line.
    addEventListener('keydown', run, { capture: true });
    addEventListener('keydown', stop);
    return () => {
      removeEventListener('keydown', run, { capture: true });
      removeEventListener('keydown', stop);
    };
  }, []);
}

/** The field of a form in which the key was pressed; undefined for one that takes no text now, and for the editor's. */
function fieldOf(target: EventTarget | null): HTMLInputElement | undefined {
  const fields = 'input:not([type=range], [readonly]), textarea:not([readonly]), select';
  const isField = target instanceof Element && target.matches(fields);
  // the three kinds of fields have the same members here
  return isField && target.closest('.monaco-editor') === null ? (target as HTMLInputElement) : undefined;
}
