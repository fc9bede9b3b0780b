import { dynamicTool, jsonSchema, type Tool } from 'ai';
import { expect, test } from 'vitest';
import { play } from '../support.ts';

type Parts = Extract<Awaited<ReturnType<NonNullable<Tool['toModelOutput']>>>, { type: 'content' }>['value'];
type Result = { content: { type: string; text?: string }[]; isError?: boolean };

/** A tool as the AI SDK makes them of an MCP server's: of any arguments, and with its own way to tell its results. */
function serverTool(result: Result): Tool {
  return dynamicTool({
    inputSchema: jsonSchema({ type: 'object' }),
    execute: async () => result,
    toModelOutput: ({ output }) => ({ type: 'content', value: (output as { content: Parts }).content }),
  });
}

/** What the model reads of a call, and what the log says of it. */
async function call(result: Result): Promise<{ sent: unknown; logged: unknown }> {
  const turns = [[{ toolCall: { name: 'ask', id: 'a' } }], 'Done.'] as const;
  const { model, run } = await play((prompt) => prompt.$`Ask.`, turns, {
    options: { tools: { ask: serverTool(result) } },
  });
  const [part] = model.calls[1]?.prompt.at(-1)?.content ?? [];
  const [toolCall] = (await run.finished).toolCalls;
  return {
    sent: typeof part === 'object' && part.type === 'tool-result' ? part.output : undefined,
    logged: toolCall?.output ?? toolCall?.errorText,
  };
}

test('what a tool reports as its error is one, in its words', async () => {
  const failed = 'There is no note 9.\nThere are: 1, 2.';
  const content = failed.split('\n').map((text) => ({ type: 'text', text }));
  expect(await call({ content, isError: true })).toEqual({
    sent: { type: 'error-text', value: failed },
    logged: failed,
  });
  expect(await call({ content, isError: false })).toEqual({
    sent: { type: 'content', value: content },
    logged: { content, isError: false },
  });
});

test('an error without words says so, and names what it has instead', async () => {
  expect((await call({ content: [], isError: true })).logged).toBe('The tool failed, and did not say why.');
  expect((await call({ content: [{ type: 'image' }], isError: true })).logged).toBe('[image]');
});

test('a result that is too long is cut for the model', async () => {
  const text = 'long '.repeat(100_000);
  const picture = { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw0KGgo=' } };
  const { sent, logged } = await call({ content: [{ type: 'text', text }, picture] });
  const note = 'the whole was 500000 characters long';
  expect(logged).toMatchObject({ content: [{ text }, picture] });
  expect(sent).toEqual({
    type: 'content',
    value: [{ type: 'text', text: expect.stringContaining(note) }, picture],
  });
  expect(JSON.stringify(sent).length).toBeLessThan(257 * 1024);
});
