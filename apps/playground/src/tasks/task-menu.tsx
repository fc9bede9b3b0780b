import type { TaskState } from '@cueline/core';
import { Pencil, RotateCcw, SkipForward, Trash2 } from 'lucide-react';
import { useLayoutEffect, useRef } from 'react';
import { ActionsMenu } from '../ui/menu/actions-menu.tsx';
import { MenuItem } from '../ui/menu/menu-item.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { possibleEdits } from './task-labels.ts';

const styles = {
  rename: { Icon: Pencil, label: 'Rename' },
  skip: { Icon: SkipForward, label: 'Skip' },
  retry: { Icon: RotateCcw, label: 'Redo' },
  remove: { Icon: Trash2, label: 'Remove' },
} as const;

type TaskMenuProps = {
  task: TaskState;
  onPick: (edit: keyof typeof styles) => void;
  /** Called when the menu is removed while it has the focus. */
  onLeave: () => void;
};

/** The actions for a task's status. */
export function TaskMenu(props: TaskMenuProps) {
  if (possibleEdits[props.task.status].length > 0) return <Menu {...props} />;
  return <span aria-hidden className="w-7 shrink-0 narrow:w-11" />;
}

function Menu({ task, onPick, onLeave }: TaskMenuProps) {
  const trigger = useRef<HTMLButtonElement>(null);
  const renaming = useRef(false);
  // before the menu is removed, and the focus with it
  useLayoutEffect(() => {
    const button = trigger.current;
    return () => {
      if (button !== null && button === document.activeElement) onLeave();
    };
  }, [onLeave]);
  return (
    <ActionsMenu
      label={`Change task: ${visibleText(task.title.slice(0, 80))}`}
      width="w-40"
      trigger={trigger}
      className="text-ink-3"
      onCloseAutoFocus={(event) => {
        const isGone = trigger.current?.isConnected !== true;
        // the input that opens takes the focus
        if (renaming.current || isGone) event.preventDefault();
        if (isGone && !renaming.current) onLeave();
        renaming.current = false;
      }}
    >
      {possibleEdits[task.status].map((edit) => {
        const { Icon, label } = styles[edit];
        return (
          <MenuItem
            key={edit}
            Icon={Icon}
            onSelect={() => {
              renaming.current = edit === 'rename';
              onPick(edit);
            }}
          >
            {label}
          </MenuItem>
        );
      })}
    </ActionsMenu>
  );
}
