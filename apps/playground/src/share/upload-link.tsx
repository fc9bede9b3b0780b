import type { RunEvent } from '@cueline/core';
import { clsx } from 'clsx';
import { Check, CloudUpload, LoaderCircle } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { deleteKeyOf } from './delete-keys.ts';
import { DeleteLink } from './delete-link.tsx';
import { Failure } from './failure.tsx';
import { formatDate, formatLifetime } from './format-time.ts';
import { LinkField } from './link-field.tsx';
import { askTerms, ShareError, type ShareTerms } from './share-store.ts';
import { knownShortLink, makeUploadedLink, uploadInProgress, type ShortLink } from './short-links.ts';

/** The content that a short link leads to. */
export type SharedThing = 'script' | 'run' | 'prompts' | 'evaluation';

type UploadLinkProps = {
  what: SharedThing;
  address: string;
  /** The content of a link. */
  hash: string;
  log?: readonly RunEvent[] | undefined;
  /** True if there is no other way to share it. */
  only?: boolean;
};

type UploadStatus =
  | { kind: 'ready' }
  | { kind: 'uploading' }
  | { kind: 'failed'; message: string }
  | { kind: 'done'; link: ShortLink; fresh: boolean }
  | { kind: 'deleted' };

const labels: Record<SharedThing, string> = {
  script: 'Short link to this script',
  run: 'Short link to this run',
  prompts: 'Short link to these prompts',
  evaluation: 'Short link to this evaluation',
};
const contents: Record<SharedThing, string> = {
  script: 'the script',
  run: 'the script and the whole run',
  prompts: 'the prompts',
  evaluation: 'the prompts, the cases and the results',
};

/**
 * A short link to a share in the page's store. Before uploading, it says what is uploaded, where to and for how long.
 */
export function UploadLink({ what, address, hash, log, only = false }: UploadLinkProps) {
  const { terms, status, upload, showDeleted } = useUpload({ address, hash, log });
  const deleteKey = status.kind === 'done' ? deleteKeyOf(status.link.id) : undefined;
  const isReady = status.kind === 'ready' || status.kind === 'deleted';

  return (
    <div className={clsx('mt-3', !only && 'border-t border-line pt-3')} data-testid="upload">
      {status.kind === 'done' ? (
        <>
          <p role="status" className="font-medium">
            {status.fresh ? 'Uploaded. This is the link:' : 'It is kept under this link:'}
          </p>
          <LinkField
            label={labels[what]}
            action="Copy short link"
            url={status.link.url}
            focus={status.fresh}
          />
          <p className="mt-2 text-sm text-ink-2">
            Anyone with the link can open it
            {status.link.expiresAt === undefined ? '' : ` until ${formatDate(status.link.expiresAt)}`}.
            {deleteKey !== undefined && ' You can delete it from this browser.'}
          </p>
          {deleteKey !== undefined && (
            <DeleteLink
              address={address}
              hash={hash}
              id={status.link.id}
              deleteKey={deleteKey}
              onDeleted={showDeleted}
            />
          )}
        </>
      ) : (
        <>
          {status.kind === 'deleted' && (
            <p
              ref={focusOn}
              role="status"
              tabIndex={-1}
              className="mb-3 flex gap-2 rounded-md bg-hover px-3 py-2 font-medium outline-none"
              data-testid="link-deleted"
            >
              <Check className="mt-[3px] size-[15px] shrink-0" />
              Deleted. The link no longer works.
            </p>
          )}
          <p className="text-base text-ink-2">
            A short link uploads {contents[what]} to{' '}
            <span className="text-ink wrap-anywhere">{new URL(address).host}</span>
            {terms !== undefined && `, where it is kept for ${formatLifetime(terms.lifetimeMs)}`}. Anyone with
            the link can open it. Only this browser can delete it.
          </p>
          {status.kind === 'failed' && <Failure message={status.message} />}
          <Button
            variant={only ? 'primary' : 'outline'}
            aria-disabled={status.kind === 'uploading' || undefined}
            onClick={() => status.kind !== 'uploading' && void upload()}
            className="mt-3 w-full aria-disabled:opacity-60"
            data-testid="make-short-link"
          >
            {status.kind === 'uploading' ? <LoaderCircle className="animate-spin" /> : <CloudUpload />}
            {status.kind === 'uploading' && 'Uploading…'}
            {status.kind === 'failed' && 'Try again'}
            {isReady && 'Upload and make a short link'}
          </Button>
        </>
      )}
    </div>
  );
}

/** The terms of the store, the upload and how far it is. */
function useUpload({ address, hash, log }: Pick<UploadLinkProps, 'address' | 'hash' | 'log'>) {
  const [terms, setTerms] = useState<ShareTerms>();
  const [status, setStatus] = useState<UploadStatus>(() => {
    const link = knownShortLink(hash);
    if (link !== undefined) return { kind: 'done', link, fresh: false };
    return { kind: uploadInProgress(hash) === undefined ? 'ready' : 'uploading' };
  });
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => {
    const controller = (leaving.current = new AbortController());
    askTerms(address, controller.signal).then(setTerms, (error: unknown) => {
      if (!controller.signal.aborted) setStatus((now) => (now.kind === 'ready' ? failed(error) : now));
    });
    const upload = uploadInProgress(hash);
    if (upload !== undefined) void showUpload(upload, controller.signal, setStatus);
    return () => controller.abort();
  }, [address, hash]);

  const upload = async (): Promise<void> => {
    const { signal } = leaving.current!;
    setStatus({ kind: 'uploading' });
    try {
      // if the first request failed, the limits must be known before anything is sent
      if (terms === undefined) {
        setTerms(await askTerms(address, signal));
        return setStatus({ kind: 'ready' });
      }
      await checkLog(log);
      signal.throwIfAborted();
      await showUpload(
        makeUploadedLink(address, hash, location.origin + location.pathname),
        signal,
        setStatus,
      );
    } catch (error) {
      if (!signal.aborted) setStatus(failed(error));
    }
  };

  return { terms, status, upload, showDeleted: () => setStatus({ kind: 'deleted' }) };
}

/** Shows how an upload ends, unless the popover is closed by then. */
async function showUpload(
  upload: Promise<ShortLink>,
  signal: AbortSignal,
  setStatus: (status: UploadStatus) => void,
): Promise<void> {
  const status = await upload.then((link) => ({ kind: 'done', link, fresh: true }) as const, failed);
  if (!signal.aborted) setStatus(status);
}

/** The pressed button has been removed, so the focus moves here. */
function focusOn(line: HTMLElement | null): void {
  line?.focus();
}

/** Throws for content that no page could open, before it is uploaded. */
async function checkLog(log: readonly RunEvent[] | undefined): Promise<void> {
  if (log === undefined) return;
  const { problemOfLog } = await import('../history/check-log.ts');
  const problem = await problemOfLog(log);
  if (problem !== undefined) throw new ShareError(`This run cannot be shared: ${problem}.`);
}

function failed(error: unknown): UploadStatus {
  const message = error instanceof ShareError ? error.message : 'The upload failed. Try again in a while.';
  return { kind: 'failed', message };
}
