import { Command } from 'cmdk';
import { Search } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { readRuns } from '../../history/history.ts';
import { Keys } from '../../ui/keys.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { useCommands, type PageCommand } from './commands.ts';
import { matchCommand } from './match-command.ts';

/** The search and the commands that match it. `onChoose` gets what a command does. */
export function CommandList({ onChoose }: { onChoose: (run: () => void) => void }) {
  const groups = useCommands();
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    // The dialog gives it the focus when it opens. If this code loads later, the dialog itself has the focus by then.
    const field = input.current;
    if (field?.closest('[role=dialog]') === document.activeElement) field?.focus();
    void readRuns();
  }, []);
  return (
    <Command
      label="Commands"
      loop
      filter={(_id, search, words) => matchCommand(search, words?.[0], words?.[1])}
    >
      <div className="flex items-center gap-2.5 border-b border-line px-4">
        <Search aria-hidden className="size-4 shrink-0 text-ink-3" />
        <Command.Input
          ref={input}
          placeholder="Find a command, a step, a script or a run…"
          className="h-12 min-w-0 flex-1 bg-transparent outline-none placeholder:text-ink-3"
        />
      </div>
      <Command.List label="Matching commands" className="scroll max-h-[min(56vh,460px)] scroll-py-1.5 p-1.5">
        <Command.Empty className="px-3 py-8 text-center text-ink-2">Nothing found.</Command.Empty>
        {groups.map(({ title, commands }) => (
          <Command.Group
            key={title}
            heading={title}
            className="pb-1.5 **:[[cmdk-group-heading]]:px-2.5 **:[[cmdk-group-heading]]:pt-1.5 **:[[cmdk-group-heading]]:pb-0.5 **:[[cmdk-group-heading]]:text-xs **:[[cmdk-group-heading]]:font-medium **:[[cmdk-group-heading]]:text-ink-3"
          >
            {commands.map((command) => (
              <Item key={command.id} title={title} command={command} onChoose={onChoose} />
            ))}
          </Command.Group>
        ))}
      </Command.List>
    </Command>
  );
}

type ItemProps = { title: string; command: PageCommand; onChoose: (run: () => void) => void };

function Item({ title, command, onChoose }: ItemProps) {
  const { id, label, detail, Icon, keys, run } = command;
  return (
    <Command.Item
      value={id}
      // the search also finds "examples weather"
      keywords={[label, `${title} ${detail ?? ''}`]}
      onSelect={() => onChoose(run)}
      className="flex h-8 cursor-default items-center gap-2.5 rounded-md px-2.5 text-base text-ink select-none data-[selected=true]:bg-hover narrow:h-11"
    >
      <Icon aria-hidden className="size-[15px] shrink-0 text-ink-3" />
      <span className="max-w-3/4 shrink-0 truncate">{visibleText(label)}</span>
      <span className="min-w-0 flex-1 truncate text-ink-2">{detail && visibleText(detail)}</span>
      {keys !== undefined && <Keys keys={keys} className="text-ink-2 narrow:hidden" />}
    </Command.Item>
  );
}
