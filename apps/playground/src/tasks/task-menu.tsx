import type { TaskState } from '@cueline/core';
import { Ellipsis, Pencil, RotateCcw, SkipForward, Trash2 } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { menuContent, menuItem } from '../ui/menu.ts';
import { possibleEdits } from './task-words.ts';

const looks = {
  rename: { Icon: Pencil, words: 'Rename' },
  skip: { Icon: SkipForward, words: 'Skip' },
  retry: { Icon: RotateCcw, words: 'Do it again' },
  remove: { Icon: Trash2, words: 'Remove' },
} as const;

type TaskMenuProps = { task: TaskState; onPick: (edit: keyof typeof looks) => void };

/** What can be done with a task as it stands. */
export function TaskMenu({ task, onPick }: TaskMenuProps) {
  const renaming = useRef(false);
  const edits = possibleEdits[task.status];
  if (edits.length === 0) return <span aria-hidden className="w-7 shrink-0 narrow:w-11" />;
  return (
    <DropdownMenu.Root>
      <DropdownMenu.Trigger asChild>
        <Button square aria-label={`Change task: ${task.title.slice(0, 80)}`} className="text-ink-3">
          <Ellipsis />
        </Button>
      </DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          align="end"
          sideOffset={4}
          collisionPadding={8}
          className={`${menuContent} w-40`}
          onCloseAutoFocus={(event) => {
            // the line that opens takes the focus
            if (renaming.current) event.preventDefault();
            renaming.current = false;
          }}
        >
          {edits.map((edit) => {
            const { Icon, words } = looks[edit];
            return (
              <DropdownMenu.Item
                key={edit}
                className={menuItem}
                onSelect={() => {
                  renaming.current = edit === 'rename';
                  onPick(edit);
                }}
              >
                <Icon />
                {words}
              </DropdownMenu.Item>
            );
          })}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  );
}
