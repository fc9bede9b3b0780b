import { Check, Copy } from 'lucide-react';
import { useEffect, useRef } from 'react';
import { Button } from '../ui/button.tsx';
import { useCopied } from '../ui/copy-button.tsx';

type LinkFieldProps = {
  label: string;
  url: string;
  /** The name of the button. Two links beside each other have different ones. */
  action?: string;
  /** The button takes the focus, so that the next Enter copies the link. */
  focus?: boolean;
};

/** A link to copy. */
export function LinkField({ label, url, action = 'Copy link', focus = false }: LinkFieldProps) {
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
      <Button ref={button} variant="primary" onClick={() => void copy(url)} className="w-[140px]">
        {copied ? <Check /> : <Copy />}
        {copied ? 'Copied' : action}
      </Button>
    </div>
  );
}
