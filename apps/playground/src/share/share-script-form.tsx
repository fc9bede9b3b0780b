import { useState } from 'react';
import { compareScript, usePlayground } from '../state/store.ts';
import { ShareChoice } from './share-choice.tsx';
import { ShareRun } from './share-run.tsx';
import { ShareScript } from './share-script.tsx';

/** Share for a script, with its run if there is one. */
export function ShareScriptForm() {
  const session = usePlayground((state) => state.session);
  const [choice, choose] = useState<'script' | 'run'>();
  const isSame = usePlayground((state) => session !== undefined && compareScript(state, session) === 'same');
  // a run from a link, even one that opens later, is included at once; the user's own run only on request
  const isLinked = session?.shared === true && session.recorded !== true;
  const what = choice ?? (isLinked && isSame ? 'run' : 'script');
  return (
    <>
      <ShareChoice
        title="Share this script"
        value={what}
        onChoose={choose}
        options={{ script: 'Script', run: 'Script and run' }}
        hasChoice={session !== undefined}
      />
      {session === undefined || what === 'script' ? <ShareScript /> : <ShareRun session={session} />}
    </>
  );
}
