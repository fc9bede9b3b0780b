import { Check, Copy, Download, Link2, TriangleAlert } from 'lucide-react';
import { Popover } from 'radix-ui';
import { useMemo, useState } from 'react';
import { toast } from 'sonner';
import { usePlayground } from '../state/store.ts';
import { formatSize } from '../transcript/format.ts';
import { Button } from '../ui/button.tsx';
import { makeShareLink } from './link.ts';
import { saveScript } from './save-file.ts';

/** Share: the script as a link, with its size, or as a file. */
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
          aria-label="Share this script"
          className="z-50 w-[min(360px,calc(100vw-24px))] animate-[fade_100ms_ease-out] rounded-xl border border-line-strong/60 bg-panel p-4 shadow-xl outline-none"
        >
          <ShareForm />
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  );
}

function ShareForm() {
  const script = usePlayground((state) => state.script);
  const link = useMemo(() => makeShareLink(script, location.origin + location.pathname), [script]);
  const [copied, setCopied] = useState(false);
  const copy = async (url: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(url);
      setCopied(true);
      setTimeout(() => setCopied(false), 2_000);
    } catch {
      toast.error('The browser did not let the page copy. Select the link and copy it yourself.');
    }
  };
  return (
    <>
      <h2 className="font-semibold">Share this script</h2>
      <p className="mt-0.5 text-base text-ink-2">
        The script itself is in the link. Nothing is uploaded, and it never runs until someone presses Run.
      </p>
      {link.url === undefined ? (
        <p className="mt-3 rounded-md bg-warn-soft px-3 py-2 text-warn">{link.problem}</p>
      ) : (
        <>
          <div className="mt-3 flex gap-2">
            <input
              readOnly
              aria-label="Link to this script"
              value={link.url}
              onFocus={(event) => event.target.select()}
              className="h-7 min-w-0 flex-1 rounded-md border border-line-strong/70 bg-page px-2 font-mono text-sm text-ink-2 narrow:h-11"
            />
            <Button look="primary" onClick={() => void copy(link.url)} className="w-[104px]">
              {copied ? <Check /> : <Copy />}
              {copied ? 'Copied' : 'Copy link'}
            </Button>
          </div>
          <p className="mt-2 text-sm text-ink-2" data-testid="link-size">
            The link is {formatSize(link.size)} long.
          </p>
          {link.advice !== 'fine' && (
            <p className="mt-2 flex gap-2 rounded-md bg-warn-soft px-3 py-2 text-warn">
              <TriangleAlert className="mt-[3px] size-3.5 shrink-0" />
              {link.advice === 'long'
                ? 'Some chat tools cut links of more than 4 KB. A cut link says so when it is opened.'
                : 'This is long for a link, and many tools will cut it. Send the file instead.'}
            </p>
          )}
        </>
      )}
      <div className="mt-3 border-t border-line pt-3">
        <Button look="outline" onClick={() => saveScript(script)} className="w-full">
          <Download />
          Save as a file
        </Button>
      </div>
    </>
  );
}
