import { Check, ChevronDown, Copy, FileCode2, FilePlus2, History, Pencil, Trash2 } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useRef } from 'react';
import { lazyComponent } from '../panes/lazy-component.tsx';
import { UnreadableNote } from '../panes/unreadable-note.tsx';
import { nameOf, type OpenScript } from '../state/open-script.ts';
import { usePlayground } from '../state/store.ts';
import { MenuItem } from '../ui/menu/menu-item.tsx';
import { MenuPortal } from '../ui/menu/menu-portal.tsx';
import { menuContent, menuItem } from '../ui/menu/menu-style.ts';
import { visibleText } from '../ui/visible-text.ts';
import { useLibrary, useListedScripts } from './library.ts';
import type * as Actions from './script-actions.ts';

const VersionsDialog = lazyComponent(() =>
  import('./dialogs/versions-dialog.tsx').then((it) => it.VersionsDialog),
);
const RenameDialog = lazyComponent(() => import('./dialogs/rename-dialog.tsx').then((it) => it.RenameDialog));

const origins = {
  own: 'Kept in this browser',
  example: 'Example',
  link: 'From a link',
  file: 'From a file',
  run: 'As it ran',
} as const;

/** The name of the script in the editor, and a menu with the user's scripts. */
export function ScriptPicker() {
  const open = usePlayground((state) => state.openScript);
  const name = usePlayground((state) => nameOf({ open: state.openScript, text: state.script }));
  const isBlocked = useLibrary((state) => state.problem !== undefined);
  /** True if the chosen entry moves the focus into the editor. */
  const entersEditor = useRef(false);
  const dialog = usePlayground((state) => state.dialog);
  const close = (): void => {
    usePlayground.setState({ dialog: undefined });
  };
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger
          aria-label={`Script: ${visibleText(name)}`}
          data-testid="script-picker"
          className="-ml-2 flex h-7 min-w-0 items-center gap-2 rounded-md px-2 font-medium hover:bg-hover narrow:h-11 narrow:focus-visible:-outline-offset-2"
        >
          <FileCode2 aria-hidden className="size-3.5 shrink-0 text-ink-3" />
          <span className="truncate">{visibleText(name)}</span>
          <ChevronDown aria-hidden className="size-3.5 shrink-0 text-ink-3" />
        </DropdownMenu.Trigger>
        <MenuPortal>
          <DropdownMenu.Content
            align="start"
            sideOffset={6}
            collisionPadding={8}
            className={`${menuContent} w-72`}
            onCloseAutoFocus={(event) => {
              if (entersEditor.current) event.preventDefault();
              entersEditor.current = false;
            }}
          >
            <ScriptList current={open.id} />
            <MenuItem
              Icon={FilePlus2}
              onSelect={() => {
                entersEditor.current = true;
                act((actions) => actions.newScript());
              }}
            >
              New script
            </MenuItem>
            <MenuItem Icon={Copy} onSelect={() => act((actions) => actions.duplicateScript())}>
              Duplicate
            </MenuItem>
            <MenuItem Icon={Pencil} onSelect={() => usePlayground.setState({ dialog: 'rename' })}>
              Rename…
            </MenuItem>
            <MenuItem
              Icon={History}
              disabled={!open.kept}
              onSelect={() => usePlayground.setState({ dialog: 'versions' })}
            >
              Earlier versions…
            </MenuItem>
            <MenuItem
              Icon={Trash2}
              disabled={!open.kept}
              onSelect={() => act((actions) => actions.deleteScript())}
            >
              Delete
            </MenuItem>
          </DropdownMenu.Content>
        </MenuPortal>
      </DropdownMenu.Root>
      <span className="ml-auto shrink-0 text-ink-3" data-testid="script-origin">
        {originOf(open, isBlocked)}
      </span>
      {dialog === 'versions' && <VersionsDialog onClose={close} />}
      {dialog === 'rename' && (
        <RenameDialog name={name} onClose={close} onRename={(next) => act((it) => it.renameScript(next))} />
      )}
    </>
  );
}

/** The actions load with the database code, after the first paint. */
function act(work: (actions: typeof Actions) => unknown): void {
  void import('./script-actions.ts').then(work);
}

function originOf({ kept, revision, origin }: OpenScript, isBlocked: boolean): string {
  if (isBlocked) return 'Only in this tab';
  if (kept) return origins.own;
  return revision > 0 ? 'Not stored any more' : origins[origin];
}

/** The user's scripts; it is only there while the menu is open, because the list changes with every edit. */
function ScriptList({ current }: { current: string }) {
  const scripts = useListedScripts();
  const hasUnreadable = useLibrary((state) => state.hasUnreadableScripts);
  if (scripts.length === 0 && !hasUnreadable) return null;
  return (
    <>
      <DropdownMenu.RadioGroup
        value={current}
        onValueChange={(id) => act((actions) => actions.openScript(id))}
        aria-label="Your scripts"
        className="scroll max-h-72"
      >
        <DropdownMenu.Label className="px-2.5 pt-1.5 pb-0.5 text-xs font-medium text-ink-3">
          Your scripts
        </DropdownMenu.Label>
        {scripts.map(({ id, name, detail }) => (
          <DropdownMenu.RadioItem key={id} value={id} className={menuItem}>
            <span className="flex w-[15px] shrink-0">
              <DropdownMenu.ItemIndicator>
                <Check />
              </DropdownMenu.ItemIndicator>
            </span>
            <span className="min-w-0 flex-1 truncate">{visibleText(name)}</span>
            <span className="shrink-0 text-sm text-ink-3">{detail}</span>
          </DropdownMenu.RadioItem>
        ))}
      </DropdownMenu.RadioGroup>
      {hasUnreadable && <UnreadableNote what="scripts" />}
      <DropdownMenu.Separator className="my-1 h-px bg-line" />
    </>
  );
}
