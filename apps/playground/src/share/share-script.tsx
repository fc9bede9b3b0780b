import { Download } from 'lucide-react';
import { useMemo } from 'react';
import { usePlayground } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { formatSize } from '../ui/format.ts';
import { saveAsFile } from '../ui/save-as-file.ts';
import { LinkField } from './link-field.tsx';
import { makeShareLink } from './link.ts';
import { shareAddress } from './share-address.ts';
import { UploadLink } from './upload-link.tsx';
import { LongLinkWarning, Warning } from './warning.tsx';

/** The script in the editor, as a link or a file. */
export function ShareScript() {
  const script = usePlayground((state) => state.script);
  const link = useMemo(() => makeShareLink({ script }, location.origin + location.pathname), [script]);
  const store = link.url === undefined || link.advice === 'fine' ? undefined : shareAddress;
  const instead = shareAddress === undefined ? 'Send the file instead.' : 'Make a short link instead.';
  return (
    <>
      <p className="mt-0.5 text-base text-ink-2">
        The script itself is in the link. Nothing is uploaded, and it never runs until someone presses Run.
      </p>
      {link.url === undefined ? (
        <Warning>{link.problem}</Warning>
      ) : (
        <>
          <LinkField
            label="Link to this script"
            url={link.url}
            {...(store !== undefined && { action: 'Copy long link' })}
          />
          <p className="mt-2 text-sm text-ink-2" data-testid="link-size">
            The link is {formatSize(link.size)} long.
          </p>
          {link.advice === 'long' && <LongLinkWarning />}
          {link.advice === 'too-long' && (
            <Warning>This is long for a link, and many tools will cut it. {instead}</Warning>
          )}
          {store !== undefined && (
            <UploadLink key={link.url} what="script" address={store} hash={new URL(link.url).hash} />
          )}
        </>
      )}
      <div className="mt-3 border-t border-line pt-3">
        <Button variant="outline" onClick={() => saveAsFile('prompt.cueline.ts', script)} className="w-full">
          <Download />
          Save as a file
        </Button>
      </div>
    </>
  );
}
