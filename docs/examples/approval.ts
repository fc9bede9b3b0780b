import { definePrompt, runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import * as z from 'zod';

const remind = definePrompt('remind', (prompt) => {
  // #region tool
  prompt.defTool(
    'sendMail',
    'Sends a mail',
    z.object({ to: z.string(), text: z.string() }),
    ({ to, text }) => `sent "${text}" to ${to}`,
    { effect: 'external' },
  );
  // #endregion
  prompt.$`Remind Ada and Bob of the meeting at ten.`;
});

const model = scriptedModel([
  [
    { toolCall: { name: 'sendMail', input: { to: 'Ada', text: 'Meeting at 10!' } } },
    { toolCall: { name: 'sendMail', input: { to: 'Bob', text: 'Meeting at 10!' } } },
  ],
  'Ada has been reminded. Bob has not, because he is on holiday.',
]);

// #region respond
const { run } = await runPrompt(remind, { model, options: { approval: ['external'] } });

for await (const event of run.events()) {
  if (event.type !== 'approval-request') continue;
  const { to } = event.input as { to: string };
  void run.respondToApproval(
    event.approvalId,
    to === 'Ada'
      ? { approved: true, input: { to, text: 'Our meeting is at ten.' } }
      : { approved: false, reason: 'he is on holiday' },
  );
}
// #endregion

for (const { output, errorText } of run.getState().toolCalls) console.log(output ?? errorText);
// prints: sent "Our meeting is at ten." to Ada
// prints: sendMail was not run, because the user did not approve it: he is on holiday.
