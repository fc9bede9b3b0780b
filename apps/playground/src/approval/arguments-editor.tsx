import { useId, useState } from 'react';
import { visibleText } from '../ui/visible-text.ts';

type ArgumentsEditorProps = {
  /** The label of the edited value. Default: the arguments. */
  label?: string;
  text: string;
  /** The problem with the text. */
  fault: string | undefined;
  onChange: (text: string) => void;
};

/**
 * The arguments of a call as JSON that can be edited before it runs. Hidden characters are written as escapes at
 * first.
 */
export function ArgumentsEditor({
  label = 'Arguments as JSON',
  text,
  fault,
  onChange,
}: ArgumentsEditorProps) {
  const faultId = useId();
  // keep the typed text as it is: replacing it would move the caret
  const [given] = useState(text);
  return (
    <div>
      <textarea
        aria-label={label}
        aria-invalid={fault !== undefined}
        aria-describedby={fault === undefined ? undefined : faultId}
        spellCheck={false}
        value={text === given ? visibleText(text) : text}
        onChange={(event) => onChange(event.target.value)}
        className="block field-sizing-content min-h-20 w-full resize-none rounded-md border border-line-strong bg-page px-2.5 py-2 font-mono text-sm outline-none focus-visible:border-focus aria-invalid:border-danger narrow:text-[16px] narrow:leading-[22px]"
      />
      {fault !== undefined && (
        <p id={faultId} role="alert" className="mt-1 text-sm wrap-anywhere text-danger">
          {fault}
        </p>
      )}
    </div>
  );
}
