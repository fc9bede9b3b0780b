import { clsx } from 'clsx';
import { Braces, ScrollText, Wrench } from 'lucide-react';
import { useInspection, useIsSelected, type Selection } from '../state/inspection.ts';
import { visibleText } from '../ui/visible-text.ts';

/** The definitions that a request shows by name. */
export type NamedKind = 'variable' | 'system' | 'tool';

/** The icon, colour and word of each kind of definition. */
export const definitionLooks = {
  variable: { Icon: Braces, look: 'text-text-kind', word: 'variable' },
  system: { Icon: ScrollText, look: 'text-thinking', word: 'system part' },
  tool: { Icon: Wrench, look: 'text-tool', word: 'tool' },
} as const;

type DefinitionNameProps = { kind: NamedKind; name: string; className?: string };

/** A definition's name, which selects the definition; pressed while it is selected. */
export function DefinitionName({ kind, name, className }: DefinitionNameProps) {
  const selection: Selection = { kind: 'definition', of: kind, name };
  const isSelected = useIsSelected(selection);
  const { Icon, look, word } = definitionLooks[kind];
  return (
    <button
      type="button"
      aria-pressed={isSelected}
      onClick={() => useInspection.getState().select(selection)}
      className={clsx(
        'inline-flex min-h-6 max-w-full min-w-0 items-center gap-1.5 rounded text-left text-sm hover:underline narrow:min-h-11',
        className,
      )}
    >
      <Icon aria-hidden className={clsx('size-3.5 shrink-0', look)} />
      <span className="sr-only">{word} </span>
      <bdi className="min-w-0 truncate font-mono">{name === '' ? 'unnamed' : visibleText(name)}</bdi>
    </button>
  );
}
