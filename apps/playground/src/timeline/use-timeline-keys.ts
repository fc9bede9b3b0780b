import { useEffect } from 'react';
import { currentSession, usePlayground, type RunSession } from '../state/store.ts';
import { openDialogs } from '../ui/keys.tsx';

/** Where a letter is text, or belongs to something else. */
const elsewhere =
  'input:not([type=range]), textarea, select, [contenteditable], [role=textbox], [role=menu], [role=dialog], [role=alertdialog], .monaco-editor';

/** J and K select the next and the previous step; ] and [ show the next and the previous visible event. */
export function useTimelineKeys(): void {
  useEffect(() => {
    const press = (event: KeyboardEvent): void => {
      // some keyboards have brackets behind AltGr, which counts as Ctrl and Alt
      const isAltGr = event.getModifierState('AltGraph');
      if (event.defaultPrevented || (!isAltGr && (event.ctrlKey || event.altKey)) || event.metaKey) return;
      const key = event.key.toLowerCase();
      if (!['j', 'k', '[', ']'].includes(key)) return;
      if (event.target instanceof Element && event.target.closest(elsewhere) !== null) return;
      if (document.querySelector(openDialogs) !== null) return;
      const session = currentSession(usePlayground.getState());
      if (session === undefined) return;
      event.preventDefault();
      void move(session, key);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
}

async function move(session: RunSession, key: string): Promise<void> {
  // loaded with the first run
  const { goToEvent, selectStep } = await import('./navigate.ts');
  if (key === 'j') selectStep(session, 'next');
  else if (key === 'k') selectStep(session, 'previous');
  else goToEvent(session, key === ']' ? 'next' : 'previous');
}
