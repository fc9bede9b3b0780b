import { clsx } from 'clsx';

/** True on Apple's systems, where ⌘ is what Ctrl is elsewhere. */
export const isApple: boolean = /Mac|iPhone|iPad/.test(navigator.platform);

/** A shortcut, written as the person's keyboard has it. */
export function Keys({ keys, className }: { keys: readonly string[]; className?: string }) {
  return (
    <kbd aria-hidden className={clsx('font-sans text-xs whitespace-nowrap opacity-90', className)}>
      {keys.map((key) => (key === 'Mod' ? (isApple ? '⌘' : 'Ctrl') : key)).join(isApple ? '' : ' ')}
    </kbd>
  );
}
