import { Link2 } from 'lucide-react';
import { Popover } from 'radix-ui';
import { lazy, Suspense, useState } from 'react';
import { usePlayground } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { ShareChoice } from './share-choice.tsx';
import { ShareRun } from './share-run.tsx';
import { ShareScript } from './share-script.tsx';

const SharePrompts = lazy(() => import('./share-prompts.tsx'));
const ShareEvaluation = lazy(() => import('./share-evaluation.tsx'));

/** Share: what is open as a link, with its size, or as a file; and its run or results, too. */
export function SharePopover() {
  const [open, setOpen] = useState(false);
  return (
    <Popover.Root open={open} onOpenChange={setOpen}>
      <Popover.Trigger asChild>
        <Button aria-label="Share" data-testid="share">
          <Link2 />
          <span className="narrow:hidden">Share</span>
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          align="end"
          sideOffset={6}
          collisionPadding={12}
          aria-label="Share"
          className="scroll z-50 max-h-(--radix-popover-content-available-height) w-[min(360px,calc(100vw-24px))] animate-[fade_100ms_ease-out] floating rounded-xl p-4 outline-none"
        >
          <ShareForm />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function ShareForm() {
  const view = usePlayground((state) => state.view);
  if (view === 'script') return <ShareScriptForm />;
  return <Suspense>{view === 'prompts' ? <SharePrompts /> : <ShareEvaluation />}</Suspense>;
}

function ShareScriptForm() {
  const session = usePlayground((state) => state.session);
  const [choice, choose] = useState<'script' | 'run'>();
  // a run from a link may be passed on at once, also one that opens later; the user's own is shared only on request
  const what = choice ?? (session?.shared === true ? 'run' : 'script');
  return (
    <>
      <ShareChoice
        title="Share this script"
        value={what}
        onChoose={choose}
        options={
          session === undefined
            ? undefined
            : [
                { value: 'script', label: 'Script' },
                { value: 'run', label: 'Script and run' },
              ]
        }
      />
      {session === undefined || what === 'script' ? <ShareScript /> : <ShareRun session={session} />}
    </>
  );
}
