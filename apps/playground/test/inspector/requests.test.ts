import type { CompiledRequest, InstructionPart, StepState } from '@cueline/core';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { describe, expect, test } from 'vitest';
import { startCpuTime } from '../../../../packages/core/test/support/cpu-time.ts';
import { ChangesTab } from '../../src/inspector/step/changes-tab.tsx';
import { usageHint } from '../../src/inspector/step/counted-tokens.tsx';
import { compareRequests, isSameRequest } from '../../src/inspector/step/request-difference.ts';
import { readUsage } from '../../src/inspector/step/step-usage.ts';
import { instructionPartsOf, instructionSegments } from '../../src/request/instruction-segments.ts';
import { estimateRequest } from '../../src/request/token-rows.ts';

const say = (content: string, role: 'user' | 'assistant' = 'user'): CompiledRequest['messages'][number] => ({
  role,
  content,
});
const request = (fields: Partial<CompiledRequest> = {}): CompiledRequest => ({
  model: 'simulated:demo',
  instructions: '',
  messages: [],
  tools: [],
  settings: {},
  ...fields,
});
const part = (name: string, start: number, end: number): InstructionPart => ({
  kind: 'variable',
  name,
  start,
  end,
});

describe('the parts of a system prompt', () => {
  test('are separate segments, with the text between them', () => {
    const instructions = 'About.\n\n<A>1</A>\n<B>2</B>\n\nrest';
    const instructionParts = [part('A', 8, 16), part('B', 17, 25)];
    expect(instructionSegments({ instructions, instructionParts })).toEqual([
      { text: 'About.\n', part: undefined },
      { text: '<A>1</A>', part: instructionParts[0] },
      { text: '<B>2</B>', part: instructionParts[1] },
      { text: '\nrest', part: undefined },
    ]);
  });

  test('stay inside the text without overlaps, even if a log says otherwise', () => {
    const foreign = [
      part('C', 50, 60),
      part('B', 2, 99),
      part('A', 0, 4),
      part('D', 3, 1),
      part('E', NaN, 2),
    ];
    expect(
      instructionPartsOf({ instructions: '0123456789', instructionParts: foreign }).map(
        ({ name, start, end }) => [name, start, end],
      ),
    ).toEqual([
      ['A', 0, 4],
      ['B', 4, 10],
    ]);
  });
});

describe('tokens', () => {
  test('are estimated by definition, and messages share a row', () => {
    const estimate = estimateRequest(
      request({
        instructions: '<CITY>Faro</CITY>\nrest',
        instructionParts: [part('CITY', 0, 17)],
        messages: [say('12345678'), say('1234')],
        tools: [{ name: 'look', inputSchema: {} }],
        settings: { responseFormat: { type: 'json', schema: { type: 'string' } } },
      }),
    );
    expect(estimate?.rows.map(({ kind, name, count, tokens }) => [kind, name, count, tokens])).toEqual([
      ['variable', 'CITY', 1, 5],
      ['instructions', '', 1, 2],
      ['message', '', 2, 3],
      ['tool', 'look', 1, 2],
      ['output', '', 1, 5],
    ]);
  });

  test('of many definitions are summed up in a last row, and the total stays the same', () => {
    const instructions = 'x'.repeat(400);
    const parts = Array.from({ length: 100 }, (_, index) => part(`V${index}`, index * 4, index * 4 + 4));
    const estimate = estimateRequest(request({ instructions, instructionParts: parts }))!;
    expect(estimate.rows).toHaveLength(40);
    expect(estimate.rows.at(-1)).toEqual({ kind: 'others', name: '', count: 61, tokens: 61 });
    expect(estimate.rows.reduce((sum, { tokens }) => sum + tokens, 0)).toBe(estimate.total);
  });

  test('that were counted have thousands separators', () => {
    const usage = { inputTokens: 12_345, outputTokens: 1_076 } as never;
    expect(usageHint(readUsage({ usage }))).toBe('12,345 in → 1,076 out');
  });

  test('of messages without a readable form, and invalid counts, are unknown', () => {
    const strange = [{ role: 'tool', content: [{ type: 'tool-result' }] }] as never;
    expect(estimateRequest(request({ messages: strange }))).toBeUndefined();
    const usage = { inputTokens: null, outputTokens: -3 } as never;
    expect(readUsage({ usage })).toMatchObject({ input: undefined, output: undefined });
  });
});

describe('the difference between two requests', () => {
  test('is empty for the same request', () => {
    const one = request({ messages: [say('a')], settings: { temperature: 1 } });
    const other = request({ messages: [say('a')], settings: { temperature: 1 } });
    expect(isSameRequest(compareRequests(one, other))).toBe(true);
  });

  test('has the order of the tools, but not the order of the members of a setting', () => {
    const [look, read, write] = ['look', 'read', 'write'].map((name) => ({ name, inputSchema: {} }));
    const settings = { providerOptions: { a: 1, b: 2 } };
    const before = request({ tools: [look!, read!], settings });
    const after = request({
      tools: [read!, write!, look!],
      settings: { providerOptions: { b: 2, a: 1 } },
    });
    const difference = compareRequests(before, after);
    expect(difference).toMatchObject({
      tools: [{ change: 'added', name: 'write' }],
      toolOrder: { before: ['look', 'read'], after: ['read', 'look'] },
      settings: [],
    });
    const reordered = request({ tools: [read!, look!], settings });
    expect(isSameRequest(compareRequests(before, reordered))).toBe(false);
    const tab = createElement(ChangesTab, {
      step: { request: reordered } as StepState,
      before: { request: before } as StepState,
    });
    expect(renderToStaticMarkup(tab)).toContain('Order of the tools');
    expect(compareRequests(before, request({ tools: [look!, write!, read!], settings })).toolOrder).toBe(
      undefined,
    );
  });

  test('has the added, removed and changed messages, in their order', () => {
    const before = request({ messages: [say('a'), say('Task 1'), say('old', 'assistant'), say('z')] });
    const after = request({ messages: [say('a'), say('Task 2'), say('z'), say('new', 'assistant')] });
    const { messages, sameMessages } = compareRequests(before, after);
    expect(sameMessages).toBe(2);
    expect(messages).toEqual([
      { change: 'changed', before: say('Task 1'), after: say('Task 2') },
      { change: 'removed', before: say('old', 'assistant') },
      { change: 'added', after: say('new', 'assistant') },
    ]);
  });

  test('names the definitions, tools and settings', () => {
    const before = request({
      instructions: '<A>1</A>\n<B>2</B>',
      instructionParts: [part('A', 0, 8), part('B', 9, 17)],
      tools: [
        { name: 'look', inputSchema: {} },
        { name: 'gone', inputSchema: {} },
      ],
      settings: { temperature: 1 },
    });
    const after = request({
      instructions: '<A>7</A>',
      instructionParts: [part('A', 0, 8)],
      tools: [
        { name: 'look', description: 'Looks', inputSchema: {} },
        { name: 'came', inputSchema: {} },
      ],
      settings: { toolChoice: 'none' },
    });
    const { definitions, tools, settings } = compareRequests(before, after);
    const outline = (changes: readonly { name: string; change: string }[]): string[] =>
      changes.map(({ change, name }) => `${change} ${name}`);
    expect(outline(definitions)).toEqual(['removed B', 'changed A']);
    expect(outline(tools)).toEqual(['removed gone', 'changed look', 'added came']);
    expect(outline(settings)).toEqual(['removed temperature', 'added toolChoice']);
  });

  test('of long conversations with nothing in common is found quickly', () => {
    const many = (word: string): CompiledRequest =>
      request({ messages: Array.from({ length: 5_000 }, (_, index) => say(`${word} ${index}`)) });
    const cpuTime = startCpuTime();
    const { messages } = compareRequests(many('a'), many('b'));
    expect(messages).toHaveLength(5_000);
    expect(cpuTime()).toBeLessThan(1_000);
  });

  test('is found for more messages than a function takes arguments', () => {
    const long = request({ messages: Array.from({ length: 200_000 }, () => say('Hello.')) });
    expect(compareRequests(long, request({ messages: [] })).messages).toHaveLength(200_000);
    expect(compareRequests(request({ messages: [] }), long).messages).toHaveLength(200_000);
  });
});
