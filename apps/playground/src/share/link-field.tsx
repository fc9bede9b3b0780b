import { Check, Copy } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { useCopied } from '../ui/copy-button.tsx';

/** A link to copy; with `focus`, the next Enter copies it. */
export function LinkField({ label, url, focus = false }: { label: string; url: string; focus?: boolean }) {
  const [copied, copy] = useCopied('Select the link and copy it yourself.');
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (focus) button.current?.focus();
  }, [focus]);
  return (
    <div className="mt-3 flex gap-2">
      <input
        readOnly
        aria-label={label}
        value={url}
        onFocus={(event) => event.target.select()}
        className="h-7 min-w-0 flex-1 rounded-md border border-line-strong/70 bg-page px-2 font-mono text-sm text-ink-2 narrow:h-11"
      />
      <Button ref={button} variant="primary" onClick={() => void copy(url)} className="w-[104px]">
        {copied ? <Check /> : <Copy />}
        {copied ? 'Copied' : 'Copy link'}
      </Button>
    </div>
  );
}
