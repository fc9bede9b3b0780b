import { fileURLToPath } from 'node:url';
import { createMCPClient } from '@ai-sdk/mcp';
import { StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { runAgentSession } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';

const model = scriptedModel([
  [{ toolCall: { name: 'add_note', input: { title: 'Buy milk' } } }],
  [{ toolCall: { name: 'task_complete', input: { summary: 'The milk is noted.' } } }],
]);
const server = fileURLToPath(new URL('mcp/notes-server.ts', import.meta.url));

// #region session
const notes = await createMCPClient({
  transport: new StdioMCPTransport({ command: process.execPath, args: [server] }),
});
try {
  const { finalOutput } = await runAgentSession(model, {
    systemPrompt: 'You keep notes.',
    initialMessage: 'We are out of milk.',
    tools: await notes.tools(),
    callbacks: {
      onToolResult: (_sessionId, { toolName, output }) => console.log(toolName, output),
    },
  });
  console.log(finalOutput);
} finally {
  await notes.close();
}
// #endregion
// prints: text: 'Note 1: Buy milk'
// prints: The milk is noted.
