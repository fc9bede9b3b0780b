import { runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const model = scriptedModel([
  [{ toolCall: { name: 'importRows', input: { file: 'orders.csv' } } }],
  'All 300 rows are in.',
]);

const { run } = await runPrompt(
  (prompt) => {
    // #region tool
    prompt.defTool(
      'importRows',
      'Imports a file',
      z.object({ file: z.string() }),
      async function* ({ file }) {
        for (const rows of [100, 200, 300]) yield { file, rows };
      },
      { effect: 'write' },
    );
    // #endregion
    prompt.$`Import orders.csv.`;
  },
  { model },
);

for await (const event of run.events()) {
  if (event.type === 'tool-preliminary') console.log('so far', event.output);
  if (event.type === 'tool-end') console.log('result', event.output);
}
// prints: so far { file: 'orders.csv', rows: 100 }
// prints: result { file: 'orders.csv', rows: 300 }
