import { useMemo, useState } from 'react';
import { logWithoutServers } from '../model/without-servers.ts';
import { sharedOf, usePrompts } from '../prompts/store.ts';
import { readShared } from '../prompts/stored-prompts.ts';
import { usePlayground } from '../state/store.ts';
import { useRunning } from '../state/use-running.ts';
import { ShareChoice } from './share-choice.tsx';
import { SharePayload } from './share-payload.tsx';

/** The prompts and the values of the form, as a link that can include the run. */
export function SharePrompts() {
  const session = usePlayground((state) => state.promptSession);
  const running = useRunning();
  const state = usePrompts();
  const connection = usePlayground(({ connection: current }) => current);
  const [choice, choose] = useState<'prompts' | 'run'>();
  const what = choice ?? (session?.shared === true ? 'run' : 'prompts');
  const hasRun = session !== undefined && !running;
  const source = session !== undefined && 'prompts' in session.source ? session.source.prompts : undefined;
  const payload = useMemo(() => {
    if (hasRun && what === 'run')
      return { prompts: source, log: logWithoutServers(session.run.log(), connection) };
    // as a reader gets them: an opened link is made again with the same text
    const shared = sharedOf(state);
    return { prompts: readShared(shared) ?? shared };
  }, [hasRun, what, source, session, state, connection]);
  return (
    <>
      <ShareChoice
        title="Share these prompts"
        value={what}
        onChoose={choose}
        options={{ prompts: 'Prompts', run: 'Prompts and run' }}
        hasChoice={hasRun}
      />
      <SharePayload what={payload.log === undefined ? 'prompts' : 'run'} payload={payload}>
        {payload.log === undefined
          ? 'All prompts with their versions, and the values of the form. The reader keeps their own prompts.'
          : 'The prompts as they were when they ran, the values, and the whole run.'}
      </SharePayload>
    </>
  );
}
