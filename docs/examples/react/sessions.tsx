import { tool } from '@cueline/core';
import { defineSession, runAgentSession, type AgentSession } from '@cueline/core/agents';
import { usePrompt, useRun } from '@cueline/react';
import type { LanguageModel } from 'ai';
import { useState, type ReactElement } from 'react';
import * as z from 'zod';

const search = tool(
  'search',
  'Searches the web',
  z.object({ query: z.string() }),
  ({ query }) => `${query}: every 11 minutes`,
);

// #region prompt
const research = defineSession('research', {
  systemPrompt: 'You look things up.',
  initialMessage: 'How often does tram 28 run?',
  tools: [search],
});

export function Research(): ReactElement {
  const work = usePrompt(research, { id: 'tram' });
  return (
    <section>
      <button onClick={() => void work.start()}>Look it up</button>
      {work.status === 'running' && <button onClick={work.stop}>Stop</button>}
      {work.toolCalls.map((call) => (
        <p key={call.toolCallId}>
          {call.toolName}: {call.state}
        </p>
      ))}
      {work.status === 'done' && <p role="status">{work.result.summary}</p>}
      {work.status === 'error' && <p role="alert">{work.error.message}</p>}
    </section>
  );
}
// #endregion

// #region run
export function Desk({ model }: { model: LanguageModel }): ReactElement {
  const [session, setSession] = useState<AgentSession>();
  function begin(): void {
    setSession(runAgentSession(model, { systemPrompt: 'You look things up.', tools: [search] }));
  }
  return session === undefined ? <button onClick={begin}>Begin</button> : <Progress session={session} />;
}

function Progress({ session }: { session: AgentSession }): ReactElement {
  const { status, steps, text } = useRun(session.run);
  return (
    <section>
      <p role="status">{`${status}, turn ${steps.length}`}</p>
      <p>{text}</p>
      {status === 'running' && <button onClick={session.stop}>Stop</button>}
    </section>
  );
}
// #endregion
