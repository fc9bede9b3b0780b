import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { toast } from './toast.ts';
import { Button } from './button.tsx';
import { Tip } from './tip.tsx';

/** How long the button says that it has copied, in milliseconds. */
const SAYS_SO_MS = 2_000;

/** Copies a text; `label` says which. The text is made when the button is pressed. */
export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text());
      setCopied(true);
      setTimeout(() => setCopied(false), SAYS_SO_MS);
    } catch {
      toast.error('The browser did not let the page copy. Select the text and copy it yourself.');
    }
  };
  return (
    <Tip text={copied ? 'Copied' : label}>
      <Button square aria-label={copied ? 'Copied' : label} onClick={() => void copy()}>
        {copied ? <Check /> : <Copy />}
      </Button>
    </Tip>
  );
}
