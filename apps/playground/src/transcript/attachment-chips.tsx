import { FileText, X } from 'lucide-react';
import { detach, useAttachments } from '../state/attachments.ts';
import type { RunView } from '../state/reply-draft.ts';
import { Button } from '../ui/button.tsx';
import { formatSize } from '../ui/format.ts';
import { visibleText } from '../ui/visible-text.ts';

/** Types that the page draws as a picture. */
const drawable = /^data:image\/(?:png|jpeg|gif|webp|avif|bmp);/;

/** The files of the next message, each with a button that removes it. */
export function AttachmentChips({ view }: { view: RunView }) {
  const { files, problem } = useAttachments((all) => all[view]);
  return (
    <>
      {files.length > 0 && (
        <ul aria-label="Files of the next message" className="flex flex-wrap gap-1.5 px-1 pt-1">
          {files.map(({ id, name, size, content }) => (
            <li
              key={id}
              className="flex h-8 max-w-60 items-center gap-1.5 rounded-md border border-line bg-raised pr-0.5 pl-1 text-sm narrow:h-12"
            >
              {'url' in content && drawable.test(content.url) ? (
                <img
                  src={content.url}
                  alt=""
                  className="size-6 shrink-0 rounded object-cover narrow:size-10"
                />
              ) : (
                <FileText aria-hidden className="size-4 shrink-0 text-ink-3" />
              )}
              <span className="min-w-0 truncate">{visibleText(name)}</span>
              <span className="shrink-0 text-ink-3">{formatSize(size)}</span>
              <Button
                square
                aria-label={`Remove ${name}`}
                className="size-6! narrow:size-11!"
                onClick={({ currentTarget }) => {
                  focusBeside(currentTarget.closest('li'));
                  detach(view, id);
                }}
              >
                <X />
              </Button>
            </li>
          ))}
        </ul>
      )}
      {problem !== undefined && (
        <p role="alert" className="px-2 pt-1 text-sm text-danger wrap-anywhere">
          {problem}
        </p>
      )}
    </>
  );
}

/** Focuses the button of the next file, else of the one before, before a file is removed. */
function focusBeside(item: HTMLLIElement | null): void {
  const beside = item?.nextElementSibling ?? item?.previousElementSibling;
  beside?.querySelector('button')?.focus();
}
