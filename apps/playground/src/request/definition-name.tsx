import { clsx } from 'clsx';
import {
  Bot,
  Braces,
  ListChecks,
  MessageSquare,
  ScrollText,
  Webhook,
  Wrench,
  type LucideIcon,
} from 'lucide-react';
import { createContext, useContext, type Context } from 'react';
import type { DefinitionKind } from '../sandbox/script/definition.ts';
import { useInspection, useIsSelected, type Selection } from '../state/inspection.ts';
import { visibleText } from '../ui/visible-text.ts';

/** The definitions that a request shows by name. */
export type NamedKind = 'variable' | 'system' | 'tool';

/** The icon, color and word of each kind of definition. */
export const definitionStyles: Record<DefinitionKind, { Icon: LucideIcon; className: string; word: string }> =
  {
    variable: { Icon: Braces, className: 'text-text-kind', word: 'variable' },
    system: { Icon: ScrollText, className: 'text-thinking', word: 'system part' },
    tool: { Icon: Wrench, className: 'text-tool', word: 'tool' },
    agent: { Icon: Bot, className: 'text-tool', word: 'agent' },
    message: { Icon: MessageSquare, className: 'text-ok', word: 'message' },
    hook: { Icon: Webhook, className: 'text-warn', word: 'hook' },
    tasks: { Icon: ListChecks, className: 'text-go', word: 'task list' },
  };

/** What the page calls a definition: only a system part can be without a name. */
export function definitionLabel(name: string): string {
  return name === '' ? 'system text' : visibleText(name);
}

/** The names of the agents that send the request that is shown, joined with `/`; undefined for the run itself. */
export const AgentOfRequest: Context<string | undefined> = createContext<string | undefined>(undefined);

/** The selection of a definition of the request that is shown. */
export function useDefinitionSelection(of: NamedKind, name: string): Selection {
  const agent = useContext(AgentOfRequest);
  return { kind: 'definition', of, name, ...(agent === undefined ? {} : { agent }) };
}

type DefinitionNameProps = {
  kind: NamedKind;
  name: string;
  /** True for a tool that is an agent. */
  isAgent?: boolean;
  className?: string;
};

/** A definition's name, which selects the definition; pressed while it is selected. */
export function DefinitionName({ kind, name, isAgent = false, className }: DefinitionNameProps) {
  const selection = useDefinitionSelection(kind, name);
  const isSelected = useIsSelected(selection);
  const { Icon, word, ...icon } = definitionStyles[isAgent ? 'agent' : kind];
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
      <Icon aria-hidden className={clsx('size-3.5 shrink-0', icon.className)} />
      {name !== '' && <span className="sr-only">{word} </span>}
      <bdi className="min-w-0 truncate font-mono">{definitionLabel(name)}</bdi>
    </button>
  );
}
