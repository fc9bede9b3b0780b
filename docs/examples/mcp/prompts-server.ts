import { createPromptLibrary } from '@cueline/core/library';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { GetPromptRequestSchema, ListPromptsRequestSchema } from '@modelcontextprotocol/sdk/types.js';

const library = await createPromptLibrary(new URL('../prompts/travel.json', import.meta.url));

const prompts = library.toMCPPrompts();
const server = new Server({ name: 'travel', version: '1.0.0' }, { capabilities: { prompts: {} } });
server.setRequestHandler(ListPromptsRequestSchema, () => prompts.listPrompts());
server.setRequestHandler(GetPromptRequestSchema, ({ params }) => prompts.getPrompt(params));
await server.connect(new StdioServerTransport());
