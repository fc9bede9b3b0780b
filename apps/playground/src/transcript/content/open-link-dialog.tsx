import { ExternalLink } from 'lucide-react';
import { AlertDialog } from 'radix-ui';
import { useEffect, useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { useReturnFocus } from '../../ui/use-return-focus.ts';

const asked = new EventTarget();

/**
 * The address that a browser opens for a link, without characters that look like others or that reorder it. Undefined
 * unless it is a web page or mail: any other scheme may start a program.
 */
export function addressOf(link: string): string | undefined {
  const url = URL.canParse(link) ? new URL(link) : undefined;
  return url !== undefined && /^(https?|mailto):$/.test(url.protocol) ? url.href : undefined;
}

/** Shows the whole address of a model's link and opens it only if the user agrees. */
export function askToOpen(address: string): void {
  asked.dispatchEvent(new CustomEvent('ask', { detail: address }));
}

export function OpenLinkDialog() {
  const [url, setUrl] = useState<string>();
  const focus = useReturnFocus();
  useEffect(() => {
    const ask = (event: Event): void => setUrl((event as CustomEvent<string>).detail);
    asked.addEventListener('ask', ask);
    return () => asked.removeEventListener('ask', ask);
  }, []);
  return (
    <AlertDialog.Root open={url !== undefined} onOpenChange={(open) => !open && setUrl(undefined)}>
      <AlertDialog.Portal>
        <AlertDialog.Overlay className="fixed inset-0 z-40 bg-black/45 dark:bg-black/60" />
        <AlertDialog.Content
          {...focus}
          className={
            'fixed top-1/2 left-1/2 z-50 w-[min(480px,calc(100vw-32px))] -translate-x-1/2 -translate-y-1/2 rounded-xl ' +
            'floating p-5 outline-none'
          }
        >
          <AlertDialog.Title className="text-lg font-semibold">Open this link?</AlertDialog.Title>
          <AlertDialog.Description className="mt-1 text-ink-2">
            A model wrote it. Anything after the host name can carry text of your conversation to that site.
          </AlertDialog.Description>
          <p className="scroll mt-3 max-h-40 rounded-md border border-line bg-raised p-3 font-mono text-sm break-all">
            {url}
          </p>
          <div className="mt-4 flex justify-end gap-2">
            <AlertDialog.Cancel asChild>
              <Button variant="outline">Cancel</Button>
            </AlertDialog.Cancel>
            <AlertDialog.Action asChild>
              <Button variant="primary" onClick={() => open(url, '_blank', 'noopener,noreferrer')}>
                <ExternalLink />
                Open in a new tab
              </Button>
            </AlertDialog.Action>
          </div>
        </AlertDialog.Content>
      </AlertDialog.Portal>
    </AlertDialog.Root>
  );
}
