import { BookOpen, ChevronDown, FileUp, Undo2 } from 'lucide-react';
import { DropdownMenu } from 'radix-ui';
import { useRef } from 'react';
import { exampleGroups } from '../examples/index.ts';
import { lazyComponent } from '../panes/lazy-component.tsx';
import { replaceScript } from '../state/replace-script.ts';
import { usePlayground } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { FileInput } from '../ui/file-input.tsx';
import { MenuItem } from '../ui/menu/menu-item.tsx';
import { menuContent } from '../ui/menu/menu-style.ts';
import { toast } from '../ui/toast.ts';

// loaded when the gallery is first opened
const RunPicture = lazyComponent(() => import('./run-picture.tsx').then((it) => it.RunPicture), null, null);

/** The largest file that is opened as a script, in bytes. */
const MAX_FILE_BYTES = 1_000_000;

export function ExamplesMenu() {
  const previous = usePlayground((state) => state.previousScript);
  const restore = usePlayground((state) => state.restoreScript);
  const file = useRef<HTMLInputElement>(null);
  return (
    <>
      <DropdownMenu.Root modal={false}>
        <DropdownMenu.Trigger asChild>
          <Button aria-label="Examples">
            <BookOpen />
            <span className="compact:hidden">Examples</span>
            <ChevronDown className="text-ink-3 compact:hidden" />
          </Button>
        </DropdownMenu.Trigger>
        <DropdownMenu.Content
          align="start"
          sideOffset={6}
          collisionPadding={8}
          className={`${menuContent} w-[min(860px,calc(100vw-16px))] narrow:w-80`}
        >
          <div className="columns-3 gap-x-2 narrow:columns-1">
            {exampleGroups.map((group) => (
              <DropdownMenu.Group key={group.title} className="break-inside-avoid pb-1.5">
                <DropdownMenu.Label className="px-2.5 pt-1.5 pb-0.5 text-xs font-medium text-ink-3">
                  {group.title}
                </DropdownMenu.Label>
                {group.examples.map((example) => (
                  <MenuItem key={example.id} onSelect={() => replaceScript(example.source, example.title)}>
                    <span className="min-w-0 flex-1 pb-1.5 narrow:pb-0">
                      <span className="mb-1 block h-9 rounded border border-line bg-page px-1.5 py-1 narrow:hidden">
                        <RunPicture id={example.id} />
                      </span>
                      <span className="block font-medium">{example.title}</span>
                      <span className="block text-sm text-ink-2">{example.description}</span>
                    </span>
                  </MenuItem>
                ))}
              </DropdownMenu.Group>
            ))}
          </div>
          <DropdownMenu.Separator className="my-1 h-px bg-line" />
          <MenuItem Icon={FileUp} onSelect={() => file.current?.click()}>
            Open a script file…
          </MenuItem>
          {previous !== undefined && (
            <MenuItem Icon={Undo2} onSelect={restore}>
              Back to your script
            </MenuItem>
          )}
        </DropdownMenu.Content>
      </DropdownMenu.Root>
      <FileInput
        ref={file}
        label="Script file"
        accept=".ts,.js,.txt"
        onFile={(chosen) => void openFile(chosen)}
      />
    </>
  );
}

async function openFile(file: File): Promise<void> {
  if (file.size > MAX_FILE_BYTES) {
    toast.error(
      `${file.name} is larger than 1 MB, so it cannot be a script. Choose the .ts file that you saved here.`,
    );
    return;
  }
  replaceScript(await file.text(), file.name, 'file');
  usePlayground.setState({ notice: { kind: 'opened', from: 'file' } });
}
