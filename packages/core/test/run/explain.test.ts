import { dryRun, tool, type CompiledRequest } from '@cueline/core';
import { explain } from '@cueline/core/inspect';
import type { ModelMessage } from 'ai';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { call, play } from '../support.ts';

const empty: CompiledRequest = { model: '', instructions: '', messages: [], tools: [], settings: {} };
const about = (request: Partial<CompiledRequest>): string => explain({ ...empty, ...request });

test('explain shows everything that a dry run would send, its cost and warnings', async () => {
  const dry = await dryRun(
    (prompt) => {
      const user = prompt.def('USER_NAME', 'Ada');
      prompt.defSystem('role', 'You plan days.\nYou are brief.');
      prompt.defTool(
        'getWeather',
        'Weather for a city.\nMetric.',
        z.object({
          city: z.string().describe('Its English name'),
          days: z.int().optional().describe('1 by default'),
          unit: z.enum(['C', 'F']),
        }),
        () => '',
      );
      prompt.defTool('file', 'Files', [
        tool('read', 'Reads', z.object({ path: z.string() }), () => ''),
        tool('write', 'Writes', z.object({ path: z.string(), text: z.string().nullable() }), () => ''),
      ]);
      prompt.defTool('now', 'The time', z.object({}), () => '');
      prompt.defHook(() => ({ activeTools: ['getWeather', 'file', 'now', 'later'] }));
      prompt.$`Plan the day
        of ${user}.`;
      prompt.defMessage('user', [
        { type: 'text', text: 'This is where we are:' },
        { type: 'image', image: 'https://example.com/map.png' },
        { type: 'file', data: new Uint8Array(3_000), mediaType: 'application/pdf', filename: 'plan.pdf' },
      ]);
    },
    { model: 'openai:gpt-4o', options: { temperature: 0.7, toolChoice: 'required' } },
  );
  expect(explain(dry)).toMatchInlineSnapshot(`
    "Model
      openai:gpt-4o

    Settings
      temperature  0.7
      toolChoice   "required"

    System prompt
      Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

      <USER_NAME>Ada</USER_NAME>

      role:
      You plan days.
      You are brief.

    Messages
      0 user
        Plan the day
        of <USER_NAME>.
      1 user
        This is where we are:
        [image/png, https://example.com/map.png]
        [plan.pdf, application/pdf, 2.9 KB]

    Tools
      getWeather
        Weather for a city.
        Metric.
        city:   string     Its English name
        days?:  integer    1 by default
        unit:   "C" | "F"
      file
        Files

        Takes a list of calls and makes them in order. What can be called:
        - read: Reads
        - write: Writes
        calls:  ({ name: "read", args: { path: string } } | { name: "write", args: { path: string, text: string | null } })[]
      now
        The time

    Tokens, estimated
      variable      USER_NAME        7
      system        role             9
      instructions  instructions    24
      message       messages[0]      7
      message       messages[1]   2006
      tool          getWeather      97
      tool          file           205
      tool          now             32
      total                       2387

    Warnings
      A hook asked for the tool later, which is not defined. There are: getWeather, file, now."
  `);
});

test('explain shows a request of a run', async () => {
  const { state } = await play(
    (prompt) => {
      prompt.defTool('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => {
        if (a < 0) throw new Error('too small');
        return { sum: a + b };
      });
      prompt.$`2 + 3?`;
    },
    [['I add.', call('add', { a: 2, b: 3 }), call('add', { a: -1, b: 3 })], 'Five.'],
  );
  const { steps } = state;
  expect(explain(steps[1]!.request)).toMatchInlineSnapshot(`
    "Model
      simulated:scripted

    Messages
      0 user
        2 + 3?
      1 assistant
        I add.
        add is called with {"a":2,"b":3}
        add is called with {"a":-1,"b":3}
      2 tool
        add answers {"sum":5}
        add fails: Error: too small

    Tools
      add
        Adds
        a:  number
        b:  number"
  `);
});

test('explain shows every kind of part', () => {
  const messages: ModelMessage[] = [
    {
      role: 'user',
      content: [
        { type: 'file', data: 'AAAA', mediaType: 'audio/wav' },
        { type: 'file', data: { type: 'data', data: 'A'.repeat(4_000_000) }, mediaType: 'video/mp4' },
        {
          type: 'file',
          data: { type: 'url', url: new URL('https://example.com/a.pdf') },
          mediaType: 'application/pdf',
        },
        { type: 'file', data: { type: 'text', text: 'a,b' }, mediaType: 'text/csv', filename: 'a.csv' },
        { type: 'file', data: { type: 'reference', reference: { openai: 'file-1' } }, mediaType: 'image/*' },
        { type: 'file', data: 'data:image/png;base64,AAAAAA==', mediaType: 'image/png' },
        { type: 'file', data: '[12 bytes]', mediaType: 'image/png' },
        { type: 'image', image: 'https://example.com/a.png' },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'reasoning', text: 'Hm.' },
        { type: 'tool-call', toolCallId: 'a', toolName: 'look', input: { at: 'x'.repeat(600) } },
        { type: 'tool-approval-request', approvalId: 'b', toolCallId: 'a' },
      ],
    },
    {
      role: 'tool',
      content: [
        {
          type: 'tool-result',
          toolCallId: 'a',
          toolName: 'look',
          output: { type: 'text', value: 'One\nTwo' },
        },
        {
          type: 'tool-result',
          toolCallId: 'b',
          toolName: 'look',
          output: { type: 'json', value: [1, null] },
        },
        {
          type: 'tool-result',
          toolCallId: 'c',
          toolName: 'look',
          output: { type: 'error-json', value: { code: 1 } },
        },
        { type: 'tool-result', toolCallId: 'd', toolName: 'look', output: { type: 'execution-denied' } },
        {
          type: 'tool-result',
          toolCallId: 'e',
          toolName: 'look',
          output: { type: 'execution-denied', reason: 'Not now.' },
        },
        {
          type: 'tool-result',
          toolCallId: 'f',
          toolName: 'look',
          output: {
            type: 'content',
            value: [
              { type: 'text', text: 'A cat:' },
              { type: 'file', data: { type: 'data', data: 'AAAA' }, mediaType: 'image/png' },
              { type: 'image-url', url: 'https://example.com/a.png' },
            ],
          },
        },
      ],
    },
  ];
  expect(about({ messages })).toMatchInlineSnapshot(`
    "Model
      none

    Messages
      0 user
        [audio/wav, 3 bytes]
        [video/mp4, 2.9 MB]
        [application/pdf, https://example.com/a.pdf]
        [a.csv, text/csv, 3 bytes]
        [image/*, {"openai":"file-1"}]
        [image/png, 4 bytes]
        [image/png, 12 bytes]
        [https://example.com/a.png]
      1 assistant
        [reasoning] Hm.
        look is called with {"at":"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx… (109 characters more)
        [tool-approval-request]
      2 tool
        look answers One
        Two
        look answers [1,null]
        look fails: {"code":1}
        look was not allowed
        look was not allowed: Not now.
        look answers
          A cat:
          [image/png, 3 bytes]
          [image-url]"
  `);
});

test('explain shows arguments of every shape', () => {
  const property = (schema: unknown): string => {
    const inputSchema = { type: 'object', properties: { a: schema }, required: ['a'] };
    return about({ tools: [{ name: 'f', inputSchema }] })
      .split('\n')
      .at(-1)!
      .trim()
      .slice('a:  '.length);
  };
  expect(property({ type: 'string' })).toBe('string');
  expect(property({ type: ['string', 'null'] })).toBe('string | null');
  expect(property({ const: 3 })).toBe('3');
  expect(property({ enum: ['x', 2] })).toBe('"x" | 2');
  expect(property({ type: 'array', items: { type: 'number' } })).toBe('number[]');
  expect(property({ type: 'array', items: { enum: [1, 2] } })).toBe('(1 | 2)[]');
  expect(property({ type: 'array' })).toBe('unknown[]');
  expect(property({ oneOf: [{ type: 'object', properties: { b: {} } }, { type: 'null' }] })).toBe(
    '{ b?: unknown } | null',
  );
  expect(property({ allOf: [{ $ref: '#/$defs/Place' }, { anyOf: [{ const: 1 }, { const: 2 }] }] })).toBe(
    'Place & (1 | 2)',
  );
  expect(property({ type: 'object' })).toBe('object');
  expect(property({ type: 'object', properties: {} })).toBe('{}');
  expect(property(true)).toBe('unknown');
});

test('explain leaves out unset settings', () => {
  expect(explain(empty)).toBe('Model\n  none');
  expect(about({ tools: [{ name: 'search', inputSchema: {} }] })).toBe(
    'Model\n  none\n\nTools\n  search\n    unknown',
  );
});

test('explain escapes control characters of the terminal', () => {
  const messages: ModelMessage[] = [{ role: 'user', content: 'a\u001B[2J\u0007b\r\n\tc\n\n\u009Bd' }];
  expect(about({ messages })).toBe(
    'Model\n  none\n\nMessages\n  0 user\n    a\uFFFD[2J\uFFFDb\n    \tc\n\n    \uFFFDd',
  );
});
