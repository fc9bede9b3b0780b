import { clsx } from 'clsx';
import type { ComponentProps } from 'react';

const variants = {
  // forced colors make the transparent border visible
  primary: 'border border-transparent bg-go text-on-go hover:bg-go-hover font-semibold',
  outline: 'border border-line-strong bg-panel text-ink hover:bg-hover',
  ghost: 'text-ink-2 hover:bg-hover hover:text-ink',
} as const;

export type ButtonProps = ComponentProps<'button'> & {
  variant?: keyof typeof variants;
  /** A square for a single icon; needs an `aria-label`. */
  square?: boolean;
};

/** A control of 32 px; 44 px on touch screens. */
export function Button({ variant = 'outline', square = false, className, ...props }: ButtonProps) {
  return (
    <button
      type="button"
      className={clsx(
        'inline-flex h-8 shrink-0 items-center justify-center gap-1.5 rounded-md whitespace-nowrap select-none',
        'disabled:opacity-50 narrow:h-11 [&_svg]:size-[15px] [&_svg]:shrink-0',
        square ? 'w-8 narrow:w-11' : 'px-3',
        variants[variant],
        className,
      )}
      {...props}
    />
  );
}
