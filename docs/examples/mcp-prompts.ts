import { fileURLToPath } from 'node:url';
import { createMCPClient } from '@ai-sdk/mcp';
import { StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { runPrompt } from '@cueline/core';
import { createPromptLibrary } from '@cueline/core/library';
import { scriptedModel } from '@cueline/core/testing';

const model = scriptedModel(['Take the tram to Belém.']);
const server = fileURLToPath(new URL('mcp/prompts-server.ts', import.meta.url));

// #region client
const client = await createMCPClient({
  transport: new StdioMCPTransport({ command: process.execPath, args: [...process.execArgv, server] }),
});
const library = await createPromptLibrary(client);
const { run } = await runPrompt(library.definePrompt('plan-day', { model }), { input: { CITY: 'Lisbon' } });
console.log((await run.finished).text);
await client.close();
// #endregion
// prints: Take the tram to Belém.
