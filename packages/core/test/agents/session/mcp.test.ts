import { fileURLToPath } from 'node:url';
import { createMCPClient, type MCPClient } from '@ai-sdk/mcp';
import { StdioMCPTransport } from '@ai-sdk/mcp/mcp-stdio';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { startHttpNotes } from '../../mcp/http.ts';
import { call, ends, firstCall, playSession, seenBy, testSessions } from './mcp-sessions.ts';

const script = fileURLToPath(new URL('../../mcp/stdio.ts', import.meta.url));

/** A client with a server process of its own. */
const spawned = (): Promise<MCPClient> =>
  createMCPClient({ transport: new StdioMCPTransport({ command: process.execPath, args: [script] }) });

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

describe('a session with MCP over stdio', () => {
  testSessions(spawned);

  test('closing the client ends the server’s process', async () => {
    const client = await spawned();
    await playSession(await client.tools(), [call('add_note', { title: 'Milk' })]);
    const { pid } = await seenBy(client);
    expect(isAlive(pid)).toBe(true);
    await client.close();
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), 5_000);
  });

  test('a server that ends in the middle of a call is an error that the model reads', async () => {
    const client = await spawned();
    const { pid } = await seenBy(client);
    const played = await playSession(
      await client.tools(),
      [call('draw_notes', { waitMs: 10_000 }), call('add_note', { title: 'Milk' })],
      { during: ['draw_notes', () => firstCall(client).then(() => process.kill(pid))] },
    );
    expect(ends(played)).toEqual([
      ['draw_notes', 'output-error', 'MCPClientError: Connection closed'],
      ['add_note', 'output-error', 'MCPClientError: Attempted to send a request from a closed client'],
    ]);
    expect(played.result.completionReason).toBe('task_complete');
  });
});

describe('a session with MCP over HTTP', async () => {
  const server = await startHttpNotes();
  afterAll(() => server[Symbol.asyncDispose]());
  const connect = (): Promise<MCPClient> => createMCPClient({ transport: { type: 'http', url: server.url } });
  testSessions(connect);

  test('closing the client ends its session with the server', async () => {
    const client = await connect();
    await playSession(await client.tools(), [call('add_note', { title: 'Milk' })]);
    expect(server.sessions()).toBe(1);
    await client.close();
    await expect.poll(() => server.sessions()).toBe(0);
  });
});
