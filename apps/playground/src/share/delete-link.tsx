import { LoaderCircle, Trash2 } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { Button } from '../ui/button.tsx';
import { Failure } from './failure.tsx';
import { ShareError } from './share-store.ts';
import { deleteShortLink } from './short-links.ts';

type DeleteLinkProps = {
  address: string;
  hash: string;
  /** The id and the key of the share. */
  id: string;
  deleteKey: string;
  onDeleted: () => void;
};

type DeleteStatus =
  | { kind: 'offered' }
  | { kind: 'asked' }
  | { kind: 'deleting' }
  | { kind: 'failed'; message: string };

/** Deletes a share of this browser, after the user has confirmed it. */
export function DeleteLink({ address, hash, id, deleteKey, onDeleted }: DeleteLinkProps) {
  const [status, setStatus] = useState<DeleteStatus>({ kind: 'offered' });
  const leaving = useRef<AbortController>(undefined);
  const keep = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    const controller = (leaving.current = new AbortController());
    return () => controller.abort();
  }, []);
  const isAsked = status.kind !== 'offered';
  useEffect(() => {
    if (isAsked) keep.current?.focus();
  }, [isAsked]);

  const remove = async (): Promise<void> => {
    const { signal } = leaving.current!;
    setStatus({ kind: 'deleting' });
    try {
      await deleteShortLink(address, { hash, id, deleteKey }, signal);
      onDeleted();
    } catch (error) {
      if (signal.aborted) return;
      const message =
        error instanceof ShareError ? error.message : 'It could not be deleted. Try again in a while.';
      setStatus({ kind: 'failed', message });
    }
  };

  if (!isAsked) {
    return (
      <Button
        variant="outline"
        onClick={() => setStatus({ kind: 'asked' })}
        className="mt-3 w-full"
        data-testid="delete-link"
      >
        <Trash2 />
        Delete this link
      </Button>
    );
  }
  const isDeleting = status.kind === 'deleting';
  return (
    <div role="group" aria-label="Delete this link" className="mt-3 border-t border-line pt-3">
      <p className="text-base">
        Delete the link? It will stop working for everyone. Copies that others have saved remain.
      </p>
      {status.kind === 'failed' && <Failure message={status.message} />}
      <div className="mt-3 flex gap-2">
        <Button
          variant="danger"
          aria-disabled={isDeleting || undefined}
          onClick={() => !isDeleting && void remove()}
          className="flex-1 aria-disabled:opacity-60"
          data-testid="confirm-delete-link"
        >
          {isDeleting ? <LoaderCircle className="animate-spin" /> : <Trash2 />}
          {isDeleting ? 'Deleting…' : 'Delete'}
        </Button>
        <Button
          ref={keep}
          variant="outline"
          onClick={() => setStatus({ kind: 'offered' })}
          className="flex-1"
        >
          Keep it
        </Button>
      </div>
    </div>
  );
}
