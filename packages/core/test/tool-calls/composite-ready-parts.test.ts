// The parts of a composite tool that are tools of the AI SDK, such as those of an MCP server.
import type { Prompt, ToolEffect } from '@cueline/core';
import { jsonSchema, tool as aiTool, type Tool } from 'ai';
import { describe, expect, test } from 'vitest';
import { call, go } from '../support.ts';
import { amount, approve, play } from '../support/approvals.ts';
import { batch, echo, say } from '../support/composite.ts';

/** What an AI SDK tool may say of itself. */
type Facts = { needsApproval?: unknown; annotations?: Record<string, unknown> };

/** A composite tool whose only part is an AI SDK tool, which notes what it pays. */
function crm({ needsApproval, annotations }: Facts): { source: (prompt: Prompt) => void; paid: number[] } {
  const paid: number[] = [];
  const pay = aiTool({
    inputSchema: amount,
    needsApproval: needsApproval as never,
    ...(annotations === undefined ? {} : { metadata: { clientName: 'crm', annotations } as never }),
    execute: ({ amount }) => {
      paid.push(amount);
      return `paid ${amount}`;
    },
  });
  return { source: go((prompt) => prompt.defTool('crm', 'A CRM', [{ pay }])), paid };
}

const payCalls = (...amounts: number[]) => ({
  calls: amounts.map((amount) => ({ name: 'pay', args: { amount } })),
});

describe('a part that is an AI SDK tool', () => {
  type Case = [what: string, facts: Facts, approval: true | ToolEffect[] | undefined, asks: boolean];
  const over10 = ({ amount }: { amount: number }): boolean => amount > 10;
  const cases: Case[] = [
    ['with needsApproval', { needsApproval: true }, undefined, true],
    ['with needsApproval: false', { needsApproval: false }, ['external'], false],
    ['with a function of its arguments that says yes', { needsApproval: over10 }, undefined, true],
    [
      'with a function of its arguments that says no',
      { needsApproval: async (args: { amount: number }) => !over10(args) },
      ['external'],
      false,
    ],
    [
      'with a function of the context',
      { needsApproval: (_args: unknown, context: { toolCallId: string }) => context.toolCallId === 'c1' },
      undefined,
      true,
    ],
    ['without hints', {}, undefined, false],
    ['without hints', {}, ['external'], true],
    ['without hints', {}, true, true],
    ['without hints', {}, ['write'], false],
    ['of a server that may change something', { annotations: { readOnlyHint: false } }, ['external'], true],
    ['of a server that only reads', { annotations: { readOnlyHint: true } }, ['external'], false],
    ['of a server that only reads', { annotations: { readOnlyHint: true } }, true, false],
    [
      'of a server that only reads, with needsApproval',
      { needsApproval: true, annotations: { readOnlyHint: true } },
      undefined,
      true,
    ],
  ];
  test.each(cases)('%s %o, in a run with approval: %o, asks: %s', async (_what, facts, approval, asks) => {
    const { source, paid } = crm(facts);
    const paidWhenAsked: number[][] = [];
    const { state } = await play(
      source,
      [[call('crm', payCalls(50), 'c1')], 'Done.'],
      () => {
        paidWhenAsked.push([...paid]);
        return { approved: true };
      },
      { approval },
    );
    expect(state).toMatchObject({ status: 'done', text: 'Done.' });
    expect(paidWhenAsked).toEqual(asks ? [[]] : []);
    expect(state.approvals.map(({ toolName, input }) => [toolName, input])).toEqual(
      asks ? [['crm', payCalls(50)]] : [],
    );
    expect(paid).toEqual([50]);
  });

  test('does not run, nor the calls beside it, if the approval is refused', async () => {
    const { source, paid } = crm({ needsApproval: over10 });
    const { state, sent } = await play(source, [[call('crm', payCalls(5, 50))], 'Then not.'], () => ({
      approved: false,
      reason: 'too much',
    }));
    expect(paid).toEqual([]);
    expect(state.toolCalls[0]!.subCalls).toBeUndefined();
    expect(sent[1]!.messages.at(-1)).toContain(
      'crm was not run, because the user did not approve it: too much.',
    );
  });

  test('runs without an approval as long as no call of the list needs one', async () => {
    const { source, paid } = crm({ needsApproval: over10 });
    const { state } = await play(source, [[call('crm', payCalls(5, 6))], 'Done.'], approve);
    expect(state.approvals).toEqual([]);
    expect(paid).toEqual([5, 6]);
  });

  test('of an agent is asked about, too', async () => {
    const { source, paid } = crm({ needsApproval: true });
    const { state } = await play(
      go((prompt) => prompt.defAgent('payer', '', amount, (_args, own) => source(own))),
      [[call('payer', { amount: 1 })], [call('crm', payCalls(3))], 'Paid.', 'Done.'],
      approve,
    );
    expect(state.approvals).toMatchObject([{ agent: 'call-0-0', toolName: 'crm' }]);
    expect(paid).toEqual([3]);
  });
});

describe('the result of a part of an MCP server', () => {
  const serverTool = (result: unknown): Tool =>
    aiTool({ inputSchema: jsonSchema({ type: 'object' }), execute: async () => result });

  test('that is an error becomes the error of its own call, with the text of the server', async () => {
    const content = ['There is no note 9.', 'There are: 1, 2.'].map((text) => ({ type: 'text', text }));
    const { output, toolCall, state } = await batch(
      [echo, { note: serverTool({ isError: true, content }) } as never],
      [say('one'), { name: 'note', args: { id: 9 } }, say('two')],
    );
    const error = 'There is no note 9.\nThere are: 1, 2.';
    expect(output).toEqual({
      results: [
        { name: 'echo', result: 'one' },
        { name: 'note', result: { error } },
        { name: 'echo', result: 'two' },
      ],
    });
    expect(toolCall.subCalls?.map(({ state, errorText }) => [state, errorText])).toEqual([
      ['output-available', undefined],
      ['output-error', error],
      ['output-available', undefined],
    ]);
    expect(state.status).toBe('done');
  });

  test('that is no error is the result of its call', async () => {
    const result = { isError: false, content: [{ type: 'text', text: 'A note.' }] };
    const { output, toolCall } = await batch(
      [{ note: serverTool(result) } as never],
      [{ name: 'note', args: { id: 1 } }],
    );
    expect(output).toEqual({ results: [{ name: 'note', result }] });
    expect(toolCall.subCalls).toMatchObject([{ state: 'output-available' }]);
  });

  test('that is the last output of a generator counts as an error, too', async () => {
    const streaming = aiTool({
      inputSchema: jsonSchema({ type: 'object' }),
      execute: async function* () {
        yield { content: [{ type: 'text', text: 'Loading…' }] };
        yield { isError: true, content: [{ type: 'text', text: 'It is gone.' }] };
      },
    });
    const { output } = await batch([{ note: streaming } as never], [{ name: 'note' }]);
    expect(output).toEqual({ results: [{ name: 'note', result: { error: 'It is gone.' } }] });
  });
});
