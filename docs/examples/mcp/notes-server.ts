import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import * as z from 'zod';

const notes: string[] = [];
const server = new McpServer({ name: 'notes', version: '1.0.0' });

server.registerTool(
  'add_note',
  { description: 'Writes a note down', inputSchema: { title: z.string() } },
  ({ title }) => ({ content: [{ type: 'text', text: `Note ${notes.push(title)}: ${title}` }] }),
);

await server.connect(new StdioServerTransport());
