import { filePart, runPrompt, textPart } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';

const model = scriptedModel(['Two invoices, 340 euros in all.']);
const invoice = new File(['%PDF-1.7 …'], 'invoice.pdf', { type: 'application/pdf' });
const bytes = new TextEncoder().encode('%PDF-1.7 …');
const photo = new URL('https://example.com/invoice.png');

const { run } = await runPrompt(
  (prompt) => {
    // #region cached
    prompt.defSystem('role', 'You add up invoices.');
    prompt.defSystem('manual', 'Amounts are in euros. …', {
      providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    });
    // #endregion
    // #region example
    prompt.defMessage('user', 'What is on invoice 17?');
    prompt.defMessage('assistant', [
      { type: 'tool-call', toolCallId: 'c1', toolName: 'getInvoice', input: { number: 17 } },
    ]);
    prompt.defMessage('tool', [
      { type: 'tool-result', toolCallId: 'c1', toolName: 'getInvoice', output: { total: 120 } },
    ]);
    prompt.defMessage('assistant', 'Invoice 17 is over 120 euros.');
    // #endregion
    // #region files
    prompt.$`Add up ${invoice} and ${photo}, please.`;
    // #endregion
    // #region parts
    const terms = textPart('Prices are net. …', {
      providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    });
    prompt.$`${terms} Check ${filePart(bytes, { mediaType: 'application/pdf', filename: 'offer.pdf' })}`;
    // #endregion
  },
  { model },
);
await run.finished;

for (const { role, content } of model.calls[0]?.prompt ?? []) {
  console.log(role, typeof content === 'string' ? content : content.map(({ type }) => type).join(' + '));
}
// prints: system role:
// prints: system manual:
// prints: assistant tool-call
// prints: tool tool-result
// prints: user text + file + text + file + text
// prints: user text + text + file
