import { clsx } from 'clsx';

/** True on Apple's systems, which use ⌘ instead of Ctrl. */
export const isApple: boolean = /Mac|iPhone|iPad/.test(navigator.platform);

/** A keyboard shortcut, with the user's modifier key. */
export function Keys({ keys, className }: { keys: readonly string[]; className?: string }) {
  return (
    <kbd aria-hidden className={clsx('font-sans text-xs whitespace-nowrap opacity-90', className)}>
      {keys.map((key) => (key === 'Mod' ? (isApple ? '⌘' : 'Ctrl') : key)).join(isApple ? '' : ' ')}
    </kbd>
  );
}
