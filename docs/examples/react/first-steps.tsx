import { definePrompt, tool } from '@cueline/core';
import { PromptProvider, usePrompt } from '@cueline/react';
import { useEffect, useState, type ReactElement } from 'react';
import * as z from 'zod';

// #region start
const planDay = definePrompt(
  'plan-day',
  (prompt, { city }) => {
    prompt.$`Plan a day in ${city}.`;
  },
  { input: z.object({ city: z.string() }) },
);

export function PlanButton(): ReactElement {
  const plan = usePrompt(planDay);
  return (
    <>
      <button onClick={() => void plan.start({ city: 'Lisbon' })}>Plan my day</button>
      <p>{plan.text}</p>
    </>
  );
}
// #endregion

// #region provider
export function App(): ReactElement {
  return (
    <PromptProvider model="simulated:demo">
      <PlanButton />
    </PromptProvider>
  );
}
// #endregion

// #region stream
export function Plan(): ReactElement {
  const plan = usePrompt(planDay);
  if (plan.status === 'running') {
    return (
      <section>
        <p aria-busy="true">{plan.text === '' ? `${plan.phase} …` : plan.text}</p>
        <button onClick={plan.stop}>Stop</button>
      </section>
    );
  }
  return (
    <section>
      {plan.status === 'error' && <p role="alert">{plan.error.message}</p>}
      <p>{plan.text}</p>
      <button onClick={() => void plan.start({ city: 'Lisbon' })}>Plan my day</button>
    </section>
  );
}
// #endregion

// #region inline
export function Summary({ text }: { text: string }): ReactElement {
  const [words, setWords] = useState(50);
  const summary = usePrompt((prompt) => {
    prompt.$`Summarize in at most ${words} words: ${text}`;
  });
  return (
    <>
      <input type="number" aria-label="Words" value={words} onChange={(e) => setWords(+e.target.value)} />
      <button onClick={() => void summary.start()}>Summarize</button>
      <p>{summary.text}</p>
    </>
  );
}
// #endregion

// #region object
const readEvent = definePrompt(
  'read-event',
  (prompt, mail) => {
    prompt.$`Which event does this mail announce? ${mail}`;
  },
  { input: z.string(), output: z.object({ title: z.string(), place: z.string() }) },
);

export function EventForm({ mail }: { mail: string }): ReactElement {
  const event = usePrompt(readEvent);
  return (
    <>
      <button onClick={() => void event.start(mail)}>Read</button>
      <input aria-label="Title" readOnly value={event.object?.title ?? ''} />
      <input aria-label="Place" readOnly value={event.object?.place ?? ''} />
      {event.status === 'done' && <button>Save “{event.result.title}”</button>}
    </>
  );
}
// #endregion

// #region tools
const planTrip = definePrompt('plan-trip', (prompt) => prompt.$`Where is the sun today?`, {
  tools: [
    tool('getWeather', 'Weather of a city', z.object({ city: z.string() }), ({ city }) => `Sunny in ${city}`),
  ],
});

export function Trip(): ReactElement {
  const trip = usePrompt(planTrip);
  return (
    <>
      <button onClick={() => void trip.start()}>Find the sun</button>
      {trip.toolCalls.map((call) => (
        <p key={call.toolCallId}>
          {call.input?.city ?? call.partialInput?.city} ({call.state}): {call.output}
        </p>
      ))}
      <p>{trip.text}</p>
    </>
  );
}
// #endregion

// #region mount
export function Greeting(): ReactElement {
  const greeting = usePrompt((prompt) => prompt.$`Greet the reader.`, { watch: ['text'] });
  const { start } = greeting;
  useEffect(() => void start(undefined, { key: 'first' }), [start]);
  return <p>{greeting.text}</p>;
}
// #endregion
