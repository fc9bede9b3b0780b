import { reduceAll, tool, type AgentOptions, type PromptSource, type ToolEffect } from '@cueline/core';
import { tool as aiTool } from 'ai';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import * as z from 'zod';
import { call, go, json, types } from '../support.ts';
import { amount, play, approve, payment } from '../support/approvals.ts';

describe('agents', () => {
  test('request approvals through the run, under their path', async () => {
    const { source, paid } = payment({ effect: 'external' });
    const { state, run, statuses } = await play(
      go((prompt) => prompt.defAgent('payer', '', z.object({}), (_args, own) => source(own))),
      [[call('payer')], [call('pay', { amount: 3 })], 'Paid.', 'Done.'],
      (request, live) => {
        expect(request.agent).toBe('call-0-0');
        expect(live.getState().agents[0]!.status).toBe('running');
        return { approved: true };
      },
      { approval: true },
    );
    expect(state.status).toBe('done');
    expect(statuses).toEqual(['running', 'waiting', 'running', 'done']);
    expect(paid).toEqual([3]);
    expect(
      run.log().flatMap(({ type, agent }) => (type.startsWith('approval-') ? [`${type} ${agent}`] : [])),
    ).toEqual(['approval-request call-0-0', 'approval-response call-0-0']);
  });

  test('are requested for the inner calls that need them', async () => {
    const asked: unknown[] = [];
    const { state, model } = await play(
      go((prompt) =>
        prompt.defAgent('mailer', '', z.object({ to: z.string() }), ({ to }, own) => own.$`Write to ${to}.`, {
          effect: 'external',
        }),
      ),
      [[call('mailer', { to: 'Ada' })], 'Not sent.'],
      (request) => {
        asked.push([request.toolName, request.input, request.agent]);
        return { approved: false, reason: 'not her' };
      },
      { approval: ['external'] },
    );
    expect(asked).toEqual([['mailer', { to: 'Ada' }, undefined]]);
    expect(state).toMatchObject({ status: 'done', agents: [] });
    expect(model.calls).toHaveLength(2);
  });

  test('a run that is stopped while its agent waits ends once', async () => {
    const { source, paid } = payment({ needsApproval: true });
    const { state, run } = await play(
      go((prompt) => prompt.defAgent('payer', '', z.object({}), (_args, own) => source(own))),
      [[call('payer')], [call('pay', { amount: 3 })], 'Never.', 'Never.'],
      (_request, live) => {
        setTimeout(() => live.stop(), 3);
        return undefined;
      },
    );
    expect(state).toMatchObject({ status: 'stopped', agents: [{ status: 'stopped' }] });
    expect(types(run.log()).filter((type) => type === 'run-end')).toHaveLength(1);
    expect(paid).toEqual([]);
  });
});

describe('composite tools', () => {
  const kit =
    (made: string[]): PromptSource =>
    (prompt) => {
      const path = z.object({ path: z.string() });
      const note = (name: string) => (args: { path: string }) => void made.push(`${name} ${args.path}`);
      prompt.defTool('file', '', [
        tool('read', '', path, note('read'), { effect: 'read' }),
        tool('write', '', path, note('write'), { effect: 'write' }),
        tool('send', '', path, note('send'), {
          effect: 'external',
          needsApproval: ({ path }) => path.startsWith('/'),
        }),
        tool('touch', '', path, note('touch'), { effect: 'write', needsApproval: false }),
        tool('guess', '', path, note('guess')),
      ]);
      prompt.$`Go.`;
    };

  test.each<[string[], true | ToolEffect[] | undefined, boolean]>([
    [['read a'], true, false],
    [['guess a'], true, false],
    [['write a'], true, true],
    [['write a'], undefined, false],
    [['write a'], ['external'], false],
    [['read a', 'write a'], true, true],
    [['touch a'], true, false],
    [['send a'], true, false],
    [['send /a'], undefined, true],
    [['read a', 'send /a', 'read b'], undefined, true],
    [['erase a'], true, false],
  ])('%o with approval: %o: %s', async (calls, approval, asks) => {
    const made: string[] = [];
    const input = {
      calls: calls.map((text) => ({ name: text.split(' ')[0], args: { path: text.split(' ')[1] } })),
    };
    const { state } = await play(kit(made), [[call('file', input)], 'Done.'], approve, { approval });
    expect(state.status).toBe('done');
    expect(state.approvals.map(({ toolName, input }) => [toolName, input])).toEqual(
      asks ? [['file', input]] : [],
    );
    expect(made).toEqual(calls.filter((text) => !text.startsWith('erase')));
  });

  test('need no approval for an inner call with invalid arguments, which does not run', async () => {
    const made: string[] = [];
    const input = {
      calls: [{ name: 'send' }, { name: 'send', args: { path: 7 } }, { name: 'read', args: { path: 'a' } }],
    };
    const { state } = await play(kit(made), [[call('file', input)], 'Done.'], approve, { approval: true });
    expect(state.approvals).toEqual([]);
    expect(made).toEqual(['read a']);
  });

  test('are approved with other arguments or refused as a whole', async () => {
    const made: string[] = [];
    const input = { calls: [{ name: 'write', args: { path: 'a' } }] };
    const other = {
      calls: [
        { name: 'read', args: { path: 'b' } },
        { name: 'write', args: { path: 'b' } },
      ],
    };
    await play(kit(made), [[call('file', input)], 'Done.'], () => ({ approved: true, input: other }), {
      approval: true,
    });
    expect(made).toEqual(['read b', 'write b']);
    const { state } = await play(kit(made), [[call('file', other)], 'Done.'], () => ({ approved: false }), {
      approval: true,
    });
    expect(made).toHaveLength(2);
    expect(state.toolCalls[0]!.subCalls).toBeUndefined();
  });
});

test('the approval of an agent that timed out is withdrawn, and the run does not wait for it', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'], shouldAdvanceTime: true });
  onTestFinished(() => void vi.useRealTimers());
  const { source, paid } = payment({ needsApproval: true });
  const { state, statuses, run } = await play(
    go((prompt) =>
      prompt.defAgent('payer', '', z.object({}), (_args, own) => source(own), { timeoutMs: 60_000 }),
    ),
    [[call('payer')], [call('pay', { amount: 3 })], 'Then not.'],
    () => {
      queueMicrotask(() => vi.advanceTimersByTime(60_000));
      return undefined;
    },
  );
  expect(paid).toEqual([]);
  expect(statuses).toEqual(['running', 'waiting', 'running', 'done']);
  expect(state).toMatchObject({ status: 'done', text: 'Then not.' });
  const { approvalId } = state.approvals[0]!;
  expect(state.approvals).toMatchObject([{ agent: 'call-0-0', toolName: 'pay', withdrawn: true }]);
  expect(
    run
      .log()
      .flatMap(({ seq: _seq, t: _t, ...event }) => (event.type === 'approval-withdraw' ? [event] : [])),
  ).toEqual([{ type: 'approval-withdraw', approvalId, agent: 'call-0-0' }]);
  expect(reduceAll(json(run.log()))).toEqual(json(state));
});

describe('the needsApproval of an AI SDK tool', () => {
  const ready = (needsApproval: unknown, paid: unknown[]) => ({
    pay: aiTool({
      inputSchema: amount,
      needsApproval: needsApproval as never,
      execute: ({ amount }) => {
        paid.push(amount);
        return `paid ${amount}`;
      },
    }),
  });
  const pay = [call('pay', { amount: 50 })];

  test.each<[unknown, boolean]>([
    [true, true],
    [false, false],
    [undefined, true],
    [({ amount }: { amount: number }) => amount > 10, true],
    [async ({ amount }: { amount: number }) => amount > 100, false],
    [(_args: unknown, { toolCallId }: { toolCallId: string }) => toolCallId === 'call-0-0', true],
  ])('is used by the run: %o asks: %s', async (needsApproval, asks) => {
    const paid: unknown[] = [];
    const { state, sent } = await play((prompt) => prompt.$`Pay.`, [pay, 'Done.'], approve, {
      tools: ready(needsApproval, paid),
      approval: true,
    });
    expect(state).toMatchObject({ status: 'done', text: 'Done.' });
    expect(state.approvals).toHaveLength(asks ? 1 : 0);
    expect(paid).toEqual([50]);
    expect(sent[1]!.messages.at(-1)).toBe('pay answers paid 50');
  });

  test.each<[string, boolean, AgentOptions]>([
    ['needsApproval of a tool', true, {}],
    ['toolApproval of an agent', false, { toolApproval: { pay: 'user-approval' } }],
  ])('in an agent, %s can request an approval', async (_what, needsApproval, options) => {
    const paid: unknown[] = [];
    const { state } = await play(
      go((prompt) =>
        prompt.defAgent('payer', '', z.object({}), (_args, own) => own.$`Pay.`, {
          tools: ready(needsApproval, paid),
          ...options,
        }),
      ),
      [[call('payer')], pay, 'Paid.', 'Done.'],
      approve,
    );
    expect(state.approvals).toMatchObject([{ agent: 'call-0-0', response: { approved: true } }]);
    expect(paid).toEqual([50]);
    expect(state).toMatchObject({ status: 'done', toolCalls: [{ output: 'Paid.' }] });
  });
});
