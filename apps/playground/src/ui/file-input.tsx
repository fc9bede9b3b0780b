import type { RefObject } from 'react';

type FileInputProps = {
  /** Its `click()` opens the browser's dialog. */
  ref: RefObject<HTMLInputElement | null>;
  label: string;
  /** The endings of file names, such as `.json`. */
  accept: string;
  onFile: (file: File) => void;
};

/** The hidden input of a button that opens a file. */
export function FileInput({ ref, label, accept, onFile }: FileInputProps) {
  return (
    <input
      ref={ref}
      type="file"
      accept={accept}
      hidden
      aria-label={label}
      onChange={(event) => {
        const [chosen] = event.target.files ?? [];
        // so that the same file can be chosen again
        event.target.value = '';
        if (chosen !== undefined) onFile(chosen);
      }}
    />
  );
}
