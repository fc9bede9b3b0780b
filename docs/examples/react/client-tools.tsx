import { definePrompt, isPending, tool } from '@cueline/core';
import { usePrompt } from '@cueline/react';
import { useState, type ReactElement } from 'react';
import * as z from 'zod';

// #region pick
export const nearby = definePrompt('nearby', (prompt) => prompt.$`Where can I have lunch near here?`, {
  tools: [
    tool('getLocation', 'Where the user is', z.object({}), {
      outputSchema: z.object({ latitude: z.number(), longitude: z.number() }),
      effect: 'read',
    }),
  ],
});

export function Lunch(): ReactElement {
  const lunch = usePrompt(nearby, {
    tools: {
      getLocation: async () => {
        const { coords } = await new Promise<GeolocationPosition>((resolve, reject) =>
          navigator.geolocation.getCurrentPosition(resolve, reject),
        );
        return { latitude: coords.latitude, longitude: coords.longitude };
      },
    },
  });
  return (
    <>
      <button onClick={() => void lunch.start()}>Lunch</button>
      <p>{lunch.text}</p>
    </>
  );
}
// #endregion

// #region ask
const bookTable = definePrompt('book-table', (prompt) => prompt.$`Book a table for tonight.`, {
  tools: [
    tool('askUser', 'Asks the user a question', z.object({ question: z.string() }), {
      outputSchema: z.string(),
    }),
  ],
});

export function Booking(): ReactElement {
  const booking = usePrompt(bookTable);
  const question = booking.clientToolCalls.find(isPending);
  return (
    <>
      <button onClick={() => void booking.start()}>Book</button>
      {question !== undefined && (
        <Question
          key={question.clientCallId}
          text={question.input.question}
          onAnswer={(output) => void booking.respondToClientTool(question.clientCallId, { output })}
        />
      )}
      <p>{booking.text}</p>
    </>
  );
}

function Question({ text, onAnswer }: { text: string; onAnswer: (answer: string) => void }): ReactElement {
  const [answer, setAnswer] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        onAnswer(answer);
      }}
    >
      <label>
        {text} <input value={answer} onChange={(event) => setAnswer(event.target.value)} />
      </label>
      <button>Answer</button>
    </form>
  );
}
// #endregion
