import { Check, Copy } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { toast } from '../ui/toast.ts';
import { Button } from '../ui/button.tsx';

/** A link to copy; with `focus`, the next Enter copies it. */
export function LinkField({ label, url, focus = false }: { label: string; url: string; focus?: boolean }) {
  const [copied, setCopied] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (focus) button.current?.focus();
  }, [focus]);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(url);
      setCopied(true);
      setTimeout(() => setCopied(false), 2_000);
    } catch {
      toast.error('The browser did not let the page copy. Select the link and copy it yourself.');
    }
  };
  return (
    <div className="mt-3 flex gap-2">
      <input
        readOnly
        aria-label={label}
        value={url}
        onFocus={(event) => event.target.select()}
        className="h-7 min-w-0 flex-1 rounded-md border border-line-strong/70 bg-page px-2 font-mono text-sm text-ink-2 narrow:h-11"
      />
      <Button ref={button} variant="primary" onClick={() => void copy()} className="w-[104px]">
        {copied ? <Check /> : <Copy />}
        {copied ? 'Copied' : 'Copy link'}
      </Button>
    </div>
  );
}
