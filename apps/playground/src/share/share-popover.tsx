import { Link2 } from 'lucide-react';
import { Popover } from 'radix-ui';
import type { ComponentType } from 'react';
import { lazyComponent } from '../panes/lazy-component.tsx';
import { usePlayground } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { focusWithin } from '../ui/focus-first.ts';

// loaded when they are opened, because the code that makes links is large
const forms = {
  script: lazyComponent(() => import('./share-script-form.tsx').then((it) => focused(it.ShareScriptForm))),
  prompts: lazyComponent(() => import('./share-prompts.tsx').then((it) => focused(it.SharePrompts))),
  evals: lazyComponent(() => import('./share-evaluation.tsx').then((it) => focused(it.ShareEvaluation))),
};

/**
 * Share: the open script, prompts or eval as a link, with its size, or as a file, with or without its run or results.
 */
export function SharePopover() {
  const open = usePlayground((state) => state.dialog === 'share');
  return (
    <Popover.Root
      open={open}
      onOpenChange={(next) => usePlayground.setState({ dialog: next ? 'share' : undefined })}
    >
      <Popover.Trigger asChild>
        <Button aria-label="Share" data-testid="share">
          <Link2 />
          <span className="compact:hidden">Share</span>
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
  const Form = forms[usePlayground((state) => state.view)];
  return <Form />;
}

/** A form that takes the focus once it has loaded. */
function focused(Form: ComponentType): ComponentType {
  return function FocusedForm() {
    return (
      <div ref={focusWithin}>
        <Form />
      </div>
    );
  };
}
