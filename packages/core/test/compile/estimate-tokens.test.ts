import type { CompiledRequest, Definitions, TokenEstimate } from '@cueline/core';
import { estimateTokens } from '@cueline/core/inspect';
import type { ModelMessage } from 'ai';
import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compileInstructions } from '../../src/compile/instructions.ts';
import { locateParts } from '../../src/compile/locate-parts.ts';

type Named = Pick<Definitions, 'variables' | 'system'>;

function request(given: Partial<CompiledRequest>): CompiledRequest {
  return { model: '', instructions: '', messages: [], tools: [], settings: {}, ...given };
}

function named(variables: Record<string, string>, system: Record<string, string> = {}): Named {
  return {
    variables: new Map(Object.entries(variables).map(([name, value]) => [name, { kind: 'text', value }])),
    system: new Map(Object.entries(system).map(([name, value]) => [name, { value }])),
  };
}

function estimate(instructions: string, definitions: Named, format?: 'labels' | 'xml'): TokenEstimate {
  const instructionParts = locateParts(instructions, definitions, format);
  return estimateTokens(request({ instructions, instructionParts }));
}

function messageTokens(message: ModelMessage): number {
  return estimateTokens(request({ messages: [message] })).total;
}

const result = (output: unknown): ModelMessage => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'a', toolName: 'f', output: output as never }],
});

describe('the system prompt', () => {
  const definitions = named({ A: 'one', B: 'two' }, { role: 'helper' });

  test.for(['labels', 'xml'] as const)('each definition counts the text that is sent: %s', (format) => {
    const instructions = compileInstructions(definitions, 'Be short.', format) as string;
    expect(estimate(instructions, definitions, format).parts).toEqual([
      { kind: 'variable', name: 'A', tokens: Math.ceil('<A>one</A>'.length / 4) },
      { kind: 'variable', name: 'B', tokens: Math.ceil('<B>two</B>'.length / 4) },
      { kind: 'system', name: 'role', tokens: format === 'xml' ? 5 : 3 },
      { kind: 'instructions', name: 'instructions', tokens: 27 },
    ]);
  });

  test('definitions that are not sent cost nothing', () => {
    expect(estimate('All new.', definitions)).toEqual({
      total: 2,
      parts: [{ kind: 'instructions', name: 'instructions', tokens: 2 }],
    });
    expect(estimate('', definitions)).toEqual({ total: 0, parts: [] });
  });

  test('a nested part is counted with the part around it', () => {
    const nested = named({}, { a: 'b:\nxyz', b: 'xyz' });
    expect(estimate('a:\nb:\nxyz', nested).parts).toEqual([{ kind: 'system', name: 'a', tokens: 3 }]);
  });

  test('no character is counted twice, for any texts', () => {
    const texts = fc.dictionary(
      fc.constantFrom('a', 'b', 'c'),
      fc.string({ unit: fc.constantFrom('a', 'b', ':', '\n') }),
    );
    fc.assert(
      fc.property(texts, texts, fc.string(), fc.boolean(), (variables, system, own, replaced) => {
        const definitions = named(variables, system);
        const instructions = replaced ? own : ((compileInstructions(definitions, own) ?? '') as string);
        const { total, parts } = estimate(instructions, definitions);
        expect(total).toBe(parts.reduce((sum, { tokens }) => sum + tokens, 0));
        // each part is rounded up
        expect(total * 4).toBeGreaterThanOrEqual(instructions.length);
        expect(total * 4).toBeLessThan(instructions.length + 4 * (parts.length + 1));
      }),
    );
  });
});

describe('messages', () => {
  test('count one token for every four characters, rounded up', () => {
    expect(messageTokens({ role: 'user', content: '12345' })).toBe(2);
    expect(
      messageTokens({
        role: 'assistant',
        content: [
          { type: 'reasoning', text: '1234' },
          { type: 'text', text: '12' },
          { type: 'tool-call', toolCallId: 'a', toolName: 'add', input: { a: 1 } },
        ],
      }),
    ).toBe(4);
  });

  test('count the results of tools in each form', () => {
    expect(messageTokens(result({ type: 'text', value: '12345678' }))).toBe(2);
    expect(messageTokens(result({ type: 'json', value: [1, 2, 3, 4] }))).toBe(3);
    expect(messageTokens(result({ type: 'error-text', value: '1234' }))).toBe(1);
    expect(
      messageTokens(
        result({
          type: 'content',
          value: [
            { type: 'text', text: '1234' },
            { type: 'file', data: { type: 'data', data: 'A'.repeat(9_000) }, mediaType: 'image/png' },
          ],
        }),
      ),
    ).toBe(1_001);
  });

  test('count 1,000 tokens for a file of any size', () => {
    const file = (data: string) => ({ type: 'file' as const, data, mediaType: 'application/pdf' });
    expect(messageTokens({ role: 'user', content: [file('AAAA')] })).toBe(1_000);
    expect(messageTokens({ role: 'user', content: [file('A'.repeat(9_000)), file('AAAA')] })).toBe(2_000);
  });
});

test('a tool counts with its name, its description and its schema', () => {
  const tools = [
    { name: 'get', description: 'Gets it', inputSchema: { type: 'object' } },
    { name: 'web', inputSchema: {} },
  ];
  expect(estimateTokens(request({ tools })).parts).toEqual([
    { kind: 'tool', name: 'get', tokens: 7 },
    { kind: 'tool', name: 'web', tokens: 2 },
  ]);
});

test('the schema of the answer counts', () => {
  const schema = { type: 'object' };
  const settings = { responseFormat: { type: 'json', schema } };
  expect(estimateTokens(request({ settings })).parts).toEqual([
    { kind: 'output', name: 'output', tokens: 5 },
  ]);
  expect(estimateTokens(request({ settings: { responseFormat: { type: 'json' } } })).total).toBe(0);
});
