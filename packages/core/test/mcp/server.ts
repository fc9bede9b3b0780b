import { setTimeout as wait } from 'node:timers/promises';
import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js';
import * as z from 'zod';

/** A call as the server got it, and how far it is. */
export type SeenCall = { name: string; args: unknown; state: 'running' | 'done' | 'failed' | 'cancelled' };

/** What the server says of itself, at `notes://seen`. */
export type Seen = { pid: number; calls: SeenCall[] };

/** Where a client reads what the server has seen. */
const seenUri = 'notes://seen';

/** A picture of one pixel. */
const png =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** An MCP server that keeps notes, for one client: one tool that works, one that fails, and a slow one. */
export function createNotesServer(): McpServer {
  const notes = new Map<number, string>();
  const calls: SeenCall[] = [];
  const server = new McpServer(
    { name: 'notes', version: '1.0.0' },
    { capabilities: { logging: {} }, instructions: 'Keeps notes.' },
  );

  async function seen<Result>(
    name: string,
    args: unknown,
    work: () => Result | Promise<Result>,
  ): Promise<Result> {
    const call: SeenCall = { name, args, state: 'running' };
    calls.push(call);
    try {
      const result = await work();
      call.state = 'done';
      return result;
    } catch (error) {
      call.state = error instanceof Error && error.name === 'AbortError' ? 'cancelled' : 'failed';
      throw error;
    }
  }

  server.registerTool(
    'add_note',
    {
      title: 'Add a note',
      description: 'Writes a note down',
      inputSchema: z.strictObject({
        title: z.string().min(1),
        tags: z.array(z.enum(['home', 'work'])).default([]),
      }),
      outputSchema: { id: z.number(), notes: z.number() },
    },
    (args) =>
      seen('add_note', args, () => {
        const id = notes.size + 1;
        notes.set(id, args.title);
        const structuredContent = { id, notes: notes.size };
        return { content: [{ type: 'text', text: JSON.stringify(structuredContent) }], structuredContent };
      }),
  );

  server.registerTool(
    'remove_note',
    { description: 'Removes a note', inputSchema: { id: z.number() } },
    (args) =>
      seen('remove_note', args, () => {
        if (!notes.delete(args.id)) throw new Error(`There is no note ${args.id}.`);
        return { content: [{ type: 'text', text: 'Removed.' }] };
      }),
  );

  server.registerTool(
    'draw_notes',
    { description: 'Draws the notes, which takes its time', inputSchema: { waitMs: z.number() } },
    (args, { signal, sendNotification }) =>
      seen('draw_notes', args, async () => {
        await sendNotification({
          method: 'notifications/message',
          params: { level: 'info', data: 'Drawing' },
        });
        await wait(args.waitMs, undefined, { signal });
        return {
          content: [
            { type: 'text', text: `A picture of ${notes.size} notes` },
            { type: 'image', data: png, mimeType: 'image/png' },
          ],
        };
      }),
  );

  server.registerResource('seen', seenUri, {}, (uri) => {
    const text = JSON.stringify({ pid: process.pid, calls } satisfies Seen);
    return { contents: [{ uri: uri.href, text }] };
  });
  return server;
}
