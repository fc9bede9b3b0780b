// The notes server as a process of its own: node test/mcp/stdio.ts
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import { createNotesServer } from './server.ts';

await createNotesServer().connect(new StdioServerTransport());
