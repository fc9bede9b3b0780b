import { clsx } from 'clsx';
import type { ComponentProps } from 'react';

const variants = {
  // forced colors make the transparent border visible
  primary: 'border border-transparent bg-go text-on-go hover:bg-go-hover font-semibold',
  danger: 'bg-danger-soft text-danger border border-danger-line hover:border-danger font-semibold',
  outline: 'border border-line-strong/70 bg-panel text-ink hover:bg-hover',
  ghost: 'text-ink-2 hover:bg-hover hover:text-ink',
} as const;

export type ButtonProps = ComponentProps<'button'> & {
  variant?: keyof typeof variants;
  /** A square for a single icon; needs an `aria-label`. */
  square?: boolean;
  /**
   * True if a press changes what the button does, such as Run and Stop: the second click of a double click and a held
   * key are ignored.
   */
  toggles?: boolean;
};

/** A 28 px control; 44 px on touch screens. */
export function Button({
  variant = 'ghost',
  square = false,
  toggles = false,
  className,
  ...props
}: ButtonProps) {
  return (
    <button
      type="button"
      className={clsx(
        'inline-flex h-7 shrink-0 items-center justify-center gap-1.5 rounded-md text-base whitespace-nowrap',
        'transition-colors duration-100 select-none disabled:opacity-50 narrow:h-11 [&_svg]:size-[15px] [&_svg]:shrink-0',
        square ? 'w-7 narrow:w-11' : 'px-2.5 narrow:min-w-11 narrow:px-3.5',
        variants[variant],
        className,
      )}
      {...props}
      {...(toggles && pressedOnce(props))}
    />
  );
}

function pressedOnce({ onClick }: ButtonProps): Pick<ButtonProps, 'onClick' | 'onKeyDown'> {
  return {
    onClick: (event) => event.detail < 2 && onClick?.(event),
    onKeyDown(event) {
      if (event.repeat && (event.key === 'Enter' || event.key === ' ')) event.preventDefault();
    },
  };
}
