import { fileURLToPath } from 'node:url';
import { createMCPClient } from '@ai-sdk/mcp';
import { StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';

const model = scriptedModel([
  [{ toolCall: { name: 'add_note', input: { title: 'Buy milk' } } }],
  'The milk is noted.',
  [{ toolCall: { name: 'add_note', input: { title: 'Buy milk' } } }],
  'The milk is noted.',
]);
const server = fileURLToPath(new URL('mcp/notes-server.ts', import.meta.url));

// #region prompt
const notes = await createMCPClient({
  transport: new StdioMCPTransport({ command: process.execPath, args: [server] }),
});
try {
  const { run } = await runPrompt((prompt) => prompt.$`We are out of milk.`, {
    model,
    options: { tools: await notes.tools(), limits: { toolCalls: 20 } },
  });
  const { toolCalls, text } = await run.finished;
  console.log(toolCalls.map(({ toolName }) => toolName).join(), text);
} finally {
  await notes.close();
}
// #endregion

async function askFirst(): Promise<void> {
  // #region set
  const notes = await createMCPClient({
    transport: new StdioMCPTransport({ command: process.execPath, args: [server] }),
  });
  try {
    const { run } = await runPrompt(
      async (prompt) => {
        prompt.defTools(await notes.tools());
        prompt.$`We are out of milk.`;
      },
      { model, options: { approval: true } },
    );
    run.listen((event) => {
      if (event.type !== 'approval-request') return;
      void run.respondToApproval(event.approvalId, { approved: true });
    });
    const { text, approvals } = await run.finished;
    console.log(approvals.length, text);
  } finally {
    await notes.close();
  }
  // #endregion
}
await askFirst();
// prints: add_note The milk is noted.
// prints: 1 The milk is noted.
