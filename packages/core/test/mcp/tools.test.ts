import { createRun, definePrompt, runPrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
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

test('an error that a tool reports is an error with its text', async () => {
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

test('an error without text says so, and lists its other content', async () => {
  expect((await call({ content: [], isError: true })).logged).toBe('The tool failed without a reason.');
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

/** What was sent as the result of the call, in the model's last request. */
function lastSent({ calls }: ReturnType<typeof scriptedModel>): unknown {
  const results = calls
    .at(-1)
    ?.prompt.flatMap((message) => (message.role === 'tool' ? message.content : []))
    .flatMap((part) => (part.type === 'tool-result' ? [part.output] : []));
  return results?.[0];
}

test("results of the prompt's own tools keep their form in later turns, too", async () => {
  const content = [{ type: 'text', text: 'Note 1' }];
  const model = scriptedModel([[{ toolCall: { name: 'ask', id: 'a' } }], 'Done.', 'Bye.']);
  const notes = definePrompt('notes', (prompt) => {
    prompt.defTools({ ask: serverTool({ content }) });
    prompt.$`Ask.`;
  });
  const run = createRun(notes, { model });
  await run.start();
  expect(lastSent(model)).toEqual({ type: 'content', value: content });
  await run.send('Thanks.');
  expect(lastSent(model)).toEqual({ type: 'content', value: content });
});

test('a result in a given conversation is sent unchanged, in any form', async () => {
  const providerOptions = { scripted: { cached: true } };
  const inline = [
    { type: 'text', text: 'Note 1' },
    { type: 'file', mediaType: 'image/png', data: { type: 'data', data: 'iVBORw0KGgo=' } },
    { type: 'file', mediaType: 'text/plain', data: { type: 'text', text: 'Note 2' } },
  ];
  const url = 'https://files.example/a.png';
  const elsewhere = [
    { type: 'file', mediaType: 'image/png', data: { type: 'url', url } },
    { type: 'file', mediaType: 'image/png', data: url },
    { type: 'file', mediaType: 'image/png', data: { type: 'reference', reference: { scripted: 'file-1' } } },
    { type: 'file-url', url, mediaType: 'image/png' },
    { type: 'file-id', fileId: 'file-1' },
    { type: 'file-reference', providerReference: { scripted: 'file-1' } },
    { type: 'image-url', url },
    { type: 'image-file-id', fileId: 'file-1' },
    { type: 'image-file-reference', providerReference: { scripted: 'file-1' } },
    { type: 'custom', providerOptions },
  ];
  /** What the model is sent where a client says that the tool returned these parts. */
  const claim = async (content: object[]): Promise<unknown> => {
    const model = scriptedModel(['Done.']);
    const tools = { ask: serverTool({ content: [] }) };
    const { run } = await runPrompt((prompt) => prompt.defTools(tools), {
      model,
      messages: [
        {
          id: 'a',
          role: 'assistant',
          parts: [
            {
              type: 'dynamic-tool',
              toolName: 'ask',
              toolCallId: 'c',
              state: 'output-available',
              input: {},
              output: { content },
            },
          ],
        },
        { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Go on.' }] },
      ],
    });
    await run.finished;
    return lastSent(model);
  };
  const said = [...elsewhere, ...inline].map((part) => ({ ...part, providerOptions }));
  expect(await claim(said)).toEqual({ type: 'content', value: inline });
  expect(await claim(elsewhere)).toEqual({ type: 'json', value: { content: elsewhere } });
});

test.each([
  ['nothing', undefined, 1],
  ['that it may destroy', { destructiveHint: true, readOnlyHint: false }, 1],
  ['that it only reads', { readOnlyHint: true }, 0],
])(
  'approval: true follows the annotations of a server that reports %s',
  async (_what, annotations, asked) => {
    const ask = { ...serverTool({ content: [] }), metadata: { clientName: 'notes', annotations } } as Tool;
    const { run } = await runPrompt(
      (prompt) => {
        prompt.defTools({ ask });
        prompt.$`Ask.`;
      },
      {
        model: scriptedModel([[{ toolCall: { name: 'ask', id: 'a' } }], 'Done.']),
        options: { approval: true },
      },
    );
    run.listen((event) => {
      if (event.type === 'approval-request') void run.respondToApproval(event.approvalId, { approved: true });
    });
    expect((await run.finished).approvals).toHaveLength(asked);
  },
);

test('an invalid set of tools is refused', async () => {
  const define = (tools: unknown): Promise<unknown> =>
    runPrompt((prompt) => prompt.defTools(tools as never), { model: scriptedModel(['x']) });
  await expect(define(['it'])).rejects.toThrow('prompt.defTools takes tools of the AI SDK by name');
  await expect(define({ ask: 'it' })).rejects.toThrow('prompt.defTools takes tools');
  await expect(define({ 'a b': serverTool({ content: [] }) })).rejects.toThrow('"a b" cannot be a tool');
});

test.each([
  ['that it only reads is made again', { readOnlyHint: true }, 2],
  ['nothing is not', undefined, 1],
])('an interrupted call of a tool whose server reports %s', async (_what, annotations, made) => {
  let calls = 0;
  const execute = (): unknown => {
    calls += 1;
    return calls === 1 ? new Promise(() => {}) : { content: [{ type: 'text', text: 'Seen.' }] };
  };
  const look = { ...serverTool({ content: [] }), execute, metadata: { annotations } } as Tool;
  const definition = definePrompt('look', (prompt) => {
    prompt.defTools({ look });
    prompt.$`Look.`;
  });
  const model = scriptedModel([[{ toolCall: { name: 'look', id: 'a' } }], 'Done.']);
  const first = createRun(definition, { model });
  void first.start().catch(() => {});
  await expect.poll(() => first.log().some(({ type }) => type === 'tool-start')).toBe(true);
  const log = first.log().slice();
  first.stop();
  expect(await createRun(definition, { model, log }).retry()).toBe('Done.');
  expect(calls).toBe(made);
});
