import { defineAgent } from '@cueline/core/agents';
import { usePrompt } from '@cueline/react';
import { useState, type ReactElement } from 'react';
import * as z from 'zod';

// #region agent
const reader = defineAgent({
  name: 'receipt-reader',
  instructions: 'You read receipts.',
  output: z.object({ shop: z.string(), total: z.number() }),
});

export function Receipt(): ReactElement {
  const receipt = usePrompt(reader);
  const [text, setText] = useState('');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void receipt.start(text);
      }}
    >
      <input aria-label="Receipt" value={text} onChange={(event) => setText(event.target.value)} />
      <button>Read</button>
      <p>{receipt.object?.shop}</p>
      {receipt.status === 'done' && <p role="status">{receipt.result.total} euros</p>}
      {receipt.status === 'error' && <p role="alert">{receipt.error.message}</p>}
    </form>
  );
}
// #endregion
