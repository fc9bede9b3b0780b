import type { MCPClient } from '@ai-sdk/mcp';
import type { RunState } from '@cueline/core';
import { runAgentSession, type AgentSession, type SessionResult } from '@cueline/core/agents';
import {
  scriptedModel,
  type ScriptedModel,
  type ScriptedPart,
  type ScriptedTurn,
} from '@cueline/core/testing';
import type { ToolSet } from 'ai';
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import type { Seen } from '../../mcp/server.ts';
import { json } from '../../support.ts';

/** A client of the notes server, closed with the test. */
export type Connect = () => Promise<MCPClient>;

/** Asks the notes server what it has seen. */
export async function seenBy(client: MCPClient): Promise<Seen> {
  const [content] = (await client.readResource({ uri: 'notes://seen' })).contents;
  return JSON.parse(String(content?.['text'])) as Seen;
}

/** Resolves once a first call has reached the notes server. */
export async function firstCall(client: MCPClient): Promise<void> {
  await expect.poll(async () => (await seenBy(client)).calls).toHaveLength(1);
}

/** One call of a tool, as a turn of a scripted model. */
export const call = (name: string, input: object): ScriptedPart[] => [
  { toolCall: { name, input, id: name } },
];

/** What a test needs to know of a session. */
type Played = {
  result: SessionResult;
  model: ScriptedModel;
  toolCalls: RunState['toolCalls'];
  /** The calls as the callbacks got them, in order. */
  heard: string[];
};

type Settings = {
  toolTimeout?: number;
  /** Called with the session once the tool of this name runs. */
  during?: readonly [toolName: string, then: (session: AgentSession) => unknown];
};

/** A session of these turns with the client's tools, which the model completes after them. */
export async function playSession(
  tools: ToolSet,
  turns: readonly ScriptedTurn[],
  { toolTimeout, during }: Settings = {},
): Promise<Played> {
  const model = scriptedModel([...turns, call('task_complete', { summary: 'All noted.' })]);
  const heard: string[] = [];
  const session = runAgentSession(model, {
    systemPrompt: 'You keep notes.',
    tools,
    toolTimeout,
    callbacks: {
      onToolCall: (_, { toolName }) => void heard.push(`call ${toolName}`),
      onToolResult: (_, { toolName }) => void heard.push(`result ${toolName}`),
      onError: (_, { phase, toolName }) => void heard.push(`${phase} ${toolName}`),
    },
  });
  session.run.listen((event) => {
    if (event.type === 'tool-start' && event.toolName === during?.[0]) void during[1](session);
  });
  const result = await session;
  const { toolCalls } = session.run.getState();
  return {
    result,
    model,
    heard,
    toolCalls: toolCalls.filter(({ toolName }) => toolName !== 'task_complete'),
  };
}

/** How the calls of a session went. */
export const ends = ({ toolCalls }: Played): unknown[] =>
  toolCalls.map(({ toolName, state, errorText }) => [toolName, state, errorText]);

/** What the model reads, in the request with this number, of the calls of the answer before. */
function told({ model }: Played, request: number): unknown[] {
  const last = model.calls[request]?.prompt.findLast(({ role }) => role === 'tool');
  if (last?.role !== 'tool') return [];
  return last.content.map((part) => json('output' in part ? part.output : part));
}

const refused =
  'MCP error -32602: Input validation error: Invalid arguments for tool add_note: Unrecognized key: "colour"';

/** What holds of a session with the tools of an MCP server, however it reaches the server. */
export function testSessions(connect: Connect): void {
  async function connected(): Promise<MCPClient> {
    const client = await connect();
    onTestFinished(() => client.close());
    return client;
  }

  test('calls reach the server; their results reach the model and the log', async () => {
    const client = await connected();
    const played = await playSession(await client.tools(), [
      call('add_note', { title: 'Milk', tags: ['home'] }),
      call('draw_notes', { waitMs: 5 }),
    ]);
    const { calls } = await seenBy(client);
    expect(calls).toEqual([
      { name: 'add_note', args: { title: 'Milk', tags: ['home'] }, state: 'done' },
      { name: 'draw_notes', args: { waitMs: 5 }, state: 'done' },
    ]);
    const [added, drawn] = played.toolCalls.map(({ output }) => output as { content: object[] });
    expect(added).toEqual({
      content: [{ type: 'text', text: '{"id":1,"notes":1}' }],
      structuredContent: { id: 1, notes: 1 },
      isError: false,
    });
    expect(drawn?.content).toMatchObject([{ text: 'A picture of 1 notes' }, { mimeType: 'image/png' }]);
    expect(told(played, 1)).toEqual([
      { type: 'content', value: [{ type: 'text', text: '{"id":1,"notes":1}' }] },
    ]);
    expect(told(played, 2)).toMatchObject([
      {
        type: 'content',
        value: [
          { type: 'text', text: 'A picture of 1 notes' },
          { type: 'file', mediaType: 'image/png', data: { type: 'data' } },
        ],
      },
    ]);
    expect(played.result).toMatchObject({ completionReason: 'task_complete', finalOutput: 'All noted.' });
  });

  test('a tool that fails, and an argument that the server does not know, are errors that the model reads', async () => {
    const client = await connected();
    const played = await playSession(await client.tools(), [
      call('remove_note', { id: 9 }),
      call('add_note', { title: 'Milk', colour: 'red' }),
      call('add_note', { title: 'Milk' }),
    ]);
    expect(ends(played)).toEqual([
      ['remove_note', 'output-error', 'There is no note 9.'],
      ['add_note', 'output-error', refused],
      ['add_note', 'output-available', undefined],
    ]);
    expect(told(played, 1)).toEqual([{ type: 'error-text', value: 'There is no note 9.' }]);
    expect(told(played, 2)).toEqual([{ type: 'error-text', value: refused }]);
    expect(played.heard).toEqual([
      'call remove_note',
      'tool_execution remove_note',
      'call add_note',
      'tool_execution add_note',
      'call add_note',
      'result add_note',
      'call task_complete',
      'result task_complete',
    ]);
    // of the two that add a note, only the one with nothing unknown in it has run
    expect((await seenBy(client)).calls).toEqual([
      { name: 'remove_note', args: { id: 9 }, state: 'failed' },
      { name: 'add_note', args: { title: 'Milk', tags: [] }, state: 'done' },
    ]);
    expect(played.result).toMatchObject({ completionReason: 'task_complete', finalOutput: 'All noted.' });
  });

  test('a schema in the page refuses arguments before they reach the server', async () => {
    const client = await connected();
    const tools = await client.tools({
      schemas: { add_note: { inputSchema: z.strictObject({ title: z.string().max(5) }) } },
    });
    expect(Object.keys(tools)).toEqual(['add_note']);
    const played = await playSession(tools, [
      call('add_note', { title: 'Milk and bread' }),
      call('add_note', { title: 'Milk' }),
    ]);
    expect(ends(played)).toEqual([
      ['add_note', 'output-error', expect.stringContaining('Too big')],
      ['add_note', 'output-available', undefined],
    ]);
    expect((await seenBy(client)).calls.map(({ args }) => args)).toEqual([{ title: 'Milk', tags: [] }]);
  });

  test('stopping the session ends the call at once, and the client serves the next session', async () => {
    const client = await connected();
    const tools = await client.tools();
    const stopped = await playSession(tools, [call('draw_notes', { waitMs: 600 })], {
      during: [
        'draw_notes',
        async (session) => {
          await firstCall(client);
          session.stop();
        },
      ],
    });
    expect(stopped.result.completionReason).toBe('stopped');
    expect(ends(stopped)).toEqual([['draw_notes', 'interrupted', undefined]]);
    expect(stopped.model.calls).toHaveLength(1);
    // in the middle of which the server's answer to the call before arrives
    const next = await playSession(tools, [call('draw_notes', { waitMs: 800 })]);
    expect(ends(next)).toEqual([['draw_notes', 'output-available', undefined]]);
  });

  test('a tool that takes too long is an error that the model reads, and the session continues', async () => {
    const client = await connected();
    const played = await playSession(
      await client.tools(),
      [call('draw_notes', { waitMs: 10_000 }), call('add_note', { title: 'Milk' })],
      { toolTimeout: 500 },
    );
    expect(ends(played)).toEqual([
      ['draw_notes', 'output-error', 'draw_notes took longer than 500 ms, so it was ended.'],
      ['add_note', 'output-available', undefined],
    ]);
    expect(played.result).toMatchObject({ completionReason: 'task_complete', finalOutput: 'All noted.' });
  });
}
