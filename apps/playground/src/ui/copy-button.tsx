import { Check, Copy } from 'lucide-react';
import { useState } from 'react';
import { IconButton } from './tip.tsx';
import { toast } from './toast.ts';

/** Copies a text; `label` says which. The text is made when the button is pressed. */
export function CopyButton({ label, text }: { label: string; text: () => string }) {
  const [copied, copy] = useCopied('Select the text and copy it yourself.');
  return (
    <IconButton label={copied ? 'Copied' : label} onClick={() => void copy(text())}>
      {copied ? <Check /> : <Copy />}
    </IconButton>
  );
}

/** How long a button says that it has copied, in milliseconds. */
const SAYS_SO_MS = 2_000;

/**
 * Whether a text was copied just now, and a function that copies one. `instead` says what the user can do if the
 * browser does not let the page copy.
 */
export function useCopied(instead: string): [copied: boolean, copy: (text: string) => Promise<void>] {
  const [copied, setCopied] = useState(false);
  const copy = async (text: string): Promise<void> => {
    try {
      await navigator.clipboard.writeText(text);
      setCopied(true);
      setTimeout(() => setCopied(false), SAYS_SO_MS);
    } catch {
      toast.error(`The browser did not let the page copy. ${instead}`);
    }
  };
  return [copied, copy];
}
