import type { LinkPayload } from '@cueline/core/link';
import { useMemo, type ReactNode } from 'react';
import { formatSize } from '../ui/format.ts';
import { LinkField } from './link-field.tsx';
import { makeShareLink } from './link.ts';
import { shareAddress } from './share-address.ts';
import { UploadLink, type SharedThing } from './upload-link.tsx';
import { LongLinkWarning, Warning } from './warning.tsx';

type SharePayloadProps = {
  what: SharedThing;
  payload: LinkPayload;
  /** The content of the link, in a sentence. */
  children: ReactNode;
};

/**
 * A link with prompts, an evaluation or a run: all of it is in the link, or in the page's share store if it is too
 * long. The store can also keep a run whose link is short.
 */
export function SharePayload({ what, payload, children }: SharePayloadProps) {
  const link = useMemo(() => makeShareLink(payload, location.origin + location.pathname), [payload]);
  if (link.url === undefined) return <Warning>{link.problem}</Warning>;
  const { log } = payload;
  const fits = link.advice !== 'too-long';
  const store = link.advice === 'fine' && log === undefined ? undefined : shareAddress;
  return (
    <>
      <p className="text-base text-ink-2">{children}</p>
      {fits && (
        <LinkField
          label={`Link to ${what === 'prompts' ? 'these prompts' : `this ${what}`}`}
          url={link.url}
          {...(store !== undefined && { action: 'Copy long link' })}
        />
      )}
      <p className="mt-2 text-sm text-ink-2" data-testid="link-size">
        {fits
          ? `All of it is in the link, which is ${formatSize(link.size)} long. Nothing is uploaded.`
          : `All of it takes ${formatSize(link.size)}, too long for a link.`}
      </p>
      {link.advice === 'long' && <LongLinkWarning />}
      {!fits && shareAddress === undefined && (
        <Warning>
          This site has no store for shared runs.{' '}
          {what === 'run' ? 'Share it without the run.' : 'Save it as a file instead, or share less.'}
        </Warning>
      )}
      {store !== undefined && (
        <UploadLink
          key={link.url}
          what={what}
          address={store}
          hash={new URL(link.url).hash}
          {...(log !== undefined && { log })}
          only={!fits}
        />
      )}
    </>
  );
}
