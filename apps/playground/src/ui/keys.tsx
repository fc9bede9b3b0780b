import { clsx } from 'clsx';

/** True on Apple's systems, which use ⌘ instead of Ctrl. */
export const isApple: boolean = /Mac|iPhone|iPad/.test(navigator.platform);

/**
 * True for a key that an input method uses to compose text, such as Enter to accept a word and Esc to cancel it. Safari
 * sends the last key of a composition after its end, and marks it only with the key code 229.
 */
export function isComposing({ isComposing: composes, keyCode }: KeyboardEvent): boolean {
  return composes || keyCode === 229;
}

/** A keyboard shortcut, with the user's modifier key. */
export function Keys({ keys, className }: { keys: readonly string[]; className?: string }) {
  return (
    <kbd aria-hidden className={clsx('font-sans text-xs whitespace-nowrap opacity-90', className)}>
      {keys.map((key) => (key === 'Mod' ? (isApple ? '⌘' : 'Ctrl') : key)).join(isApple ? '' : ' ')}
    </kbd>
  );
}

/**
 * Selects the page's open dialogs. The editor's search is a dialog, too, and stays in the page after it has closed,
 * so it is not among them.
 */
export const openDialogs: string = '[role=dialog][data-state=open], [role=alertdialog][data-state=open]';
