import { clsx } from 'clsx';
import { X } from 'lucide-react';
import { AgentOfRequest, definitionLabel, definitionStyles } from '../../request/definition-name.tsx';
import type { Selection } from '../../state/inspection.ts';
import type { ShownRun } from '../../state/shown-run.ts';
import type { RunSession } from '../../state/store.ts';
import { Button } from '../../ui/button.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { DefinitionLines } from './definition-lines.tsx';
import { DefinitionSent } from './definition-sent.tsx';
import { HookCalls } from './hook-calls.tsx';
import { MessageSent } from './message-sent.tsx';
import { positionIn } from './prompt-steps.ts';
import { TaskListView } from './task-list-view.tsx';
import { VariableValues } from './variable-values.tsx';

type SelectedDefinition = Extract<Selection, { kind: 'definition' }>;

type DefinitionViewProps = {
  session: RunSession;
  shown: ShownRun;
  selected: SelectedDefinition;
  onClose: () => void;
};

/** A definition of the script: the line that made it, and what the run did with it. */
export function DefinitionView({ session, shown, selected, onClose }: DefinitionViewProps) {
  const { of, name, agent } = selected;
  const { Icon, className, word } = definitionStyles[of];
  return (
    <section
      aria-label={`Definition ${definitionLabel(name)}`}
      className="flex max-h-[50%] min-h-0 shrink-0 flex-col border-t-2 border-line-strong bg-panel"
    >
      <div className="flex h-9 shrink-0 items-center gap-2 border-b border-line px-4 narrow:px-3 text-sm narrow:h-12">
        <Icon aria-hidden className={clsx('size-3.5 shrink-0', className)} />
        <h3 className="flex min-w-0 gap-1.5">
          <bdi className="min-w-0 truncate font-mono font-medium">{definitionLabel(name)}</bdi>
          {name !== '' && <span className="shrink-0 text-ink-3">{word}</span>}
          {agent !== undefined && (
            <span className="min-w-0 truncate text-ink-3">
              of {visibleText(agent.replaceAll('/', ' › '))}
            </span>
          )}
        </h3>
        <span className="ml-auto flex shrink-0 items-center gap-2">
          <DefinitionLines session={session} selected={selected} />
        </span>
        <Button square aria-label="Close the definition" onClick={onClose}>
          <X />
        </Button>
      </div>
      <div className="scroll min-h-0 flex-1">
        <AgentOfRequest value={agent}>
          <Content {...{ session, shown, selected }} />
        </AgentOfRequest>
      </div>
    </section>
  );
}

function Content({ session, shown, selected }: Omit<DefinitionViewProps, 'onClose'>) {
  const { of, name, agent } = selected;
  switch (of) {
    case 'variable':
      return (
        <>
          <VariableValues {...{ session, shown, name, agent }} />
          <DefinitionSent {...{ shown, kind: 'variable', name, agent }} />
        </>
      );
    case 'system':
    case 'tool':
      return <DefinitionSent {...{ shown, kind: of, name, agent }} />;
    case 'agent':
      return <DefinitionSent {...{ shown, kind: 'tool', name, agent }} />;
    case 'message':
      return <MessageSent {...{ shown, index: positionIn(name) ?? 0, agent }} />;
    case 'hook':
      return <HookCalls {...{ session, shown, index: positionIn(name) ?? 0, agent }} />;
    case 'tasks':
      return <TaskListView {...{ session, shown, agent }} />;
  }
}
