import {
  reduceAll,
  runPrompt,
  type RunHandle,
  type ApprovalResponse,
  type ToolEffect,
  type ToolOptions,
} from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, go, json, throwing, types } from '../support.ts';
import { amount, play, approve, payment } from '../support/approvals.ts';
import { after } from '../support/runs.ts';

test('a call whose schema changes its arguments can be approved as shown, but not with other arguments', async () => {
  const ran: unknown[] = [];
  const model = scriptedModel([[call('pay', { euros: 32 })], 'Done.']);
  const { run } = await runPrompt(
    (prompt) => {
      const cents = z.object({ euros: z.number().transform((euros) => euros * 100) });
      prompt.defTool('pay', '', cents, (args) => void ran.push(args), { needsApproval: true });
      prompt.$`Pay.`;
    },
    { model },
  );
  const faults: (string | undefined)[] = [];
  run.listen((event) => {
    if (event.type !== 'approval-request') return;
    faults.push(event.reason);
    const input = faults.length === 1 ? { euros: 5 } : event.input;
    queueMicrotask(() => void run.respondToApproval(event.approvalId, { approved: true, input }));
  });
  await run.finished;
  expect(ran).toEqual([{ euros: 3200 }]);
  expect(faults).toEqual([
    undefined,
    'The schema of this tool changes its arguments, so the call would not run with the arguments that you wrote. Approve the call as it is, or refuse it.',
  ]);
});

describe('which calls need an approval', () => {
  const rules: [ToolOptions<{ amount: number }>, true | ToolEffect[] | undefined, boolean][] = [
    [{ effect: 'write' }, undefined, false],
    [{ effect: 'external' }, undefined, false],
    [{ effect: 'read' }, true, false],
    [{}, true, false],
    [{ effect: 'write' }, true, true],
    [{ effect: 'external' }, true, true],
    [{ effect: 'write' }, ['external'], false],
    [{ effect: 'external' }, ['external'], true],
    [{ effect: 'read' }, ['read'], true],
    [{}, ['read', 'write', 'external'], false],
    [{ effect: 'write' }, [], false],
    [{ needsApproval: true }, undefined, true],
    [{ effect: 'read', needsApproval: true }, undefined, true],
    [{ effect: 'external', needsApproval: false }, true, false],
    [{ needsApproval: ({ amount }) => amount > 10 }, undefined, true],
    [{ needsApproval: ({ amount }) => amount > 100 }, undefined, false],
    [{ needsApproval: async ({ amount }) => amount > 10 }, undefined, true],
    [{ effect: 'external', needsApproval: () => false }, true, false],
    [{ effect: 'external', needsApproval: (() => undefined) as never }, true, true],
    [{ effect: 'read', needsApproval: (async () => undefined) as never }, true, false],
  ];
  test.each(rules)('a tool with %o, in a run with approval: %o: %s', async (options, approval, asks) => {
    const { source, paid } = payment(options);
    const { state } = await play(source, [[call('pay', { amount: 50 })], 'Done.'], approve, { approval });
    expect(state.status).toBe('done');
    expect(state.approvals).toHaveLength(asks ? 1 : 0);
    expect(paid).toEqual([50]);
  });

  test('a call does not run if its rule throws', async () => {
    const { source, paid } = payment({
      needsApproval: throwing(new Error('cannot say')),
    });
    const { state } = await play(source, [[call('pay', { amount: 50 })], 'Done.'], approve);
    expect(paid).toEqual([]);
    expect(state.toolCalls[0]).toMatchObject({ state: 'output-error', errorText: 'Error: cannot say' });
  });

  test.each([false, 'write', ['wirte'], {}])('options.approval: %o is refused', async (approval) => {
    const started = runPrompt((prompt) => prompt.$`Go.`, {
      model: scriptedModel([]),
      options: { approval: approval as never },
    });
    await expect(started).rejects.toMatchObject({ code: 'invalid_options' });
  });
});

describe('the response to an approval', () => {
  const asking = { needsApproval: true };
  /** A run with one payment that needs an approval. */
  async function payAsking(answer: Parameters<typeof play>[2], last = 'Done.') {
    const { source, paid } = payment(asking);
    return { ...(await play(source, [[call('pay', { amount: 50 })], last], answer)), paid };
  }

  test('approves the call, for which the run waits', async () => {
    const { source, paid } = payment(asking);
    const { state, statuses, run, sent } = await play(
      source,
      [[call('pay', { amount: 50 })], 'Done.'],
      (request) => {
        expect(paid).toEqual([]);
        expect(request).toMatchObject({ toolName: 'pay', input: { amount: 50 } });
        return { approved: true };
      },
    );
    expect(statuses).toEqual(['running', 'waiting', 'running', 'done']);
    expect(paid).toEqual([50]);
    expect(sent[1]!.messages.at(-1)).toBe('pay answers paid 50');
    expect(types(run.log()).slice(4, 10)).toEqual([
      'tool-input-end',
      'approval-request',
      'approval-response',
      'tool-start',
      'tool-end',
      'step-end',
    ]);
    expect(state.approvals).toMatchObject([{ toolCallId: 'call-0-0', response: { approved: true } }]);
    expect(reduceAll(json(run.log()))).toEqual(json(state));
  });

  test('can approve the call with other arguments', async () => {
    const { state, sent, paid } = await payAsking(() => ({
      approved: true,
      input: { amount: 5 },
    }));
    expect(paid).toEqual([5]);
    expect(state.approvals[0]).toMatchObject({
      input: { amount: 50 },
      response: { approved: true, input: { amount: 5 } },
    });
    expect(sent[1]!.messages[1]).toBe('assistant calls pay {"amount":50}');
    expect(sent[1]!.messages[2]).toContain('paid 5');
    expect(sent[1]!.messages[2]).toContain(String.raw`The user ran it with other arguments: {\"amount\":5}`);
  });

  const reason = 'amount: Invalid input: expected number, received string';

  test('with invalid arguments is requested again, with the reason', async () => {
    const { state, run, paid } = await payAsking((request) => {
      return { approved: true, input: { amount: request.reason === undefined ? 'five' : 5 } };
    });
    expect(paid).toEqual([5]);
    expect(state.status).toBe('done');
    const asked = state.approvals.map(({ approvalId: _id, requestedAt: _at, ...request }) => request);
    const pay = { toolCallId: 'call-0-0', toolName: 'pay', input: { amount: 50 } };
    expect(asked).toEqual([
      { ...pay, response: { approved: true, input: { amount: 'five' } } },
      { ...pay, reason, response: { approved: true, input: { amount: 5 } } },
    ]);
    expect(reduceAll(json(run.log()))).toEqual(json(state));
  });

  test('can refuse the call when it is requested again', async () => {
    const { state, paid } = await payAsking((request) =>
      request.reason === undefined ? { approved: true, input: { amount: 'five' } } : { approved: false },
    );
    expect([paid, state.approvals.length]).toEqual([[], 2]);
    expect(state.toolCalls[0]!.errorText).toContain('the user did not approve it');
  });

  test('fails the call after three responses with invalid arguments', async () => {
    const { state, paid } = await payAsking(() => ({
      approved: true,
      input: { amount: 'five' },
    }));
    expect([paid, state.approvals.map((request) => request.reason)]).toEqual([
      [],
      [undefined, reason, reason],
    ]);
    expect(state).toMatchObject({
      status: 'done',
      toolCalls: [{ state: 'output-error', errorText: reason }],
    });
  });

  test.each<[string, ApprovalResponse, string]>([
    ['no', { approved: false }, 'pay was not run, because the user did not approve it.'],
    [
      'no with a reason',
      { approved: false, reason: 'too much' },
      'pay was not run, because the user did not approve it: too much.',
    ],
  ])('%s is read by the model', async (_what, answer, text) => {
    const { state, sent, paid } = await payAsking(() => answer, 'Then not.');
    expect(paid).toEqual([]);
    expect(sent[1]!.messages.at(-1)).toContain(text);
    expect(state).toMatchObject({ status: 'done', text: 'Then not.' });
    expect(state.toolCalls[0]!.state).toBe('output-error');
  });

  test.each<[string, (args: { amount: number }, ran: number[]) => unknown]>([
    ['a function', ({ amount }, ran) => ran.push(amount)],
    [
      'a generator',
      async function* ({ amount }, ran) {
        yield ran.push(amount);
      },
    ],
  ])('that refuses a call of %s also refuses its repetitions', async (_what, fn) => {
    const ran: number[] = [];
    const again = [call('pay', { amount: 50 })];
    const { state, sent } = await play(
      go((prompt) => prompt.defTool('pay', '', amount, (args) => fn(args, ran), asking)),
      [again, again, again, [call('pay', { amount: 5 })], 'Then not.'],
      () => ({ approved: false }),
    );
    expect(ran).toEqual([]);
    expect(state.approvals.map(({ input }) => input)).toEqual([{ amount: 50 }, { amount: 5 }]);
    expect(sent[2]!.messages.at(-1)).toContain('did not approve it');
    expect(sent[3]!.messages.at(-1)).toContain('this is call 3 with the same arguments');
  });

  test('does not count toward the time limit of the tool', async () => {
    const { source, paid } = payment({ ...asking, timeoutMs: 30 });
    const model = scriptedModel([[call('pay', { amount: 1 })], 'Done.']);
    const { run } = await runPrompt(source, { model });
    run.listen((event) => {
      if (event.type === 'approval-request')
        setTimeout(() => void run.respondToApproval(event.approvalId, { approved: true }), 80);
    });
    expect((await run.finished).status).toBe('done');
    expect(paid).toEqual([1]);
    expect(run.getState().toolCalls[0]!.ms).toBeLessThan(30);
  });
});

describe('several approvals', () => {
  test('can be answered in any order', async () => {
    const { source, paid } = payment({ needsApproval: true });
    const model = scriptedModel([[call('pay', { amount: 1 }), call('pay', { amount: 2 })], 'Done.']);
    // a call that waits for its answer takes no place of those that run
    const { run } = await runPrompt(source, { model, options: { limits: { concurrentToolCalls: 1 } } });
    run.subscribe(() => {});
    await expect.poll(() => run.getState().approvals).toHaveLength(2);
    const [first, second] = run.getState().approvals;
    expect(run.getState().status).toBe('waiting');
    expect(await run.respondToApproval(second!.approvalId, { approved: true })).toEqual({ accepted: true });
    expect(run.getState().status).toBe('waiting');
    await expect.poll(() => paid).toEqual([2]);
    expect(await run.respondToApproval(first!.approvalId, { approved: false })).toEqual({ accepted: true });
    const state = await run.finished;
    expect(state.status).toBe('done');
    expect(paid).toEqual([2]);
    expect(state.toolCalls.map(({ state }) => state)).toEqual(['output-error', 'output-available']);
  });

  test('let other calls run meanwhile', async () => {
    const order: string[] = [];
    const { source } = payment({ needsApproval: true, onSuccess: () => void order.push('pay') });
    const { state } = await play(
      (prompt) => {
        source(prompt);
        prompt.defTool('look', '', z.object({}), () => void order.push('look'));
      },
      [[call('pay', { amount: 1 }), call('look')], 'Done.'],
      approve,
    );
    expect(state.status).toBe('done');
    expect(order).toEqual(['look', 'pay']);
  });
});

describe('a run that is stopped while it waits', () => {
  test.each<[string, (run: RunHandle, controller: AbortController) => void]>([
    ['run.stop()', (run) => run.stop()],
    ['options.abortSignal', (_run, controller) => controller.abort()],
  ])('by %s never runs the call and accepts no response', async (_how, stop) => {
    const controller = new AbortController();
    const { source, paid } = payment({ needsApproval: true });
    const { run, result } = await runPrompt(source, {
      model: scriptedModel([[call('pay', { amount: 1 })], 'Never.']),
      options: { abortSignal: controller.signal },
    });
    let approvalId = '';
    run.listen((event) => {
      if (event.type !== 'approval-request') return;
      ({ approvalId } = event);
      setTimeout(() => stop(run, controller), 3);
    });
    const state = await run.finished;
    expect(state.status).toBe('stopped');
    expect(await run.respondToApproval(approvalId, { approved: true })).toEqual({
      accepted: false,
      reason: 'The run has ended, so nothing waits for a response.',
    });
    await after(10);
    expect(paid).toEqual([]);
    expect(types(run.log()).at(-1)).toBe('run-end');
    expect(state.approvals).toMatchObject([{ approvalId, withdrawn: true }]);
    expect(state.approvals[0]!.response).toBeUndefined();
    await expect(Promise.resolve(result.text)).rejects.toThrow();
  });
});

describe('invalid responses', () => {
  test('are refused for an unknown id, an invalid form and a second time', async () => {
    const { source } = payment({ needsApproval: true });
    const replies: unknown[] = [];
    const { state } = await play(source, [[call('pay', { amount: 1 })], 'Done.'], ({ approvalId }, run) => {
      replies.push(run.respondToApproval('req-nowhere', { approved: true }));
      replies.push(run.respondToApproval(approvalId, 'yes' as never));
      replies.push(run.respondToApproval(approvalId, { approved: true }));
      replies.push(run.respondToApproval(approvalId, { approved: false }));
      return undefined;
    });
    const { approvalId } = state.approvals[0]!;
    expect(await Promise.all(replies)).toEqual([
      { accepted: false, reason: `There is no approval req-nowhere. Pending: ${approvalId} (pay).` },
      {
        accepted: false,
        reason:
          'This is not a response to an approval. Give { approved: true }, { approved: true, input } to run the call with other arguments, or { approved: false, reason }.',
      },
      { accepted: true },
      { accepted: false, reason: `The approval ${approvalId} was already answered. None is pending.` },
    ]);
    expect(state).toMatchObject({ status: 'done', approvals: [{ response: { approved: true } }] });
  });
});

test('a key in the arguments is redacted in the request and the response', async () => {
  const key = 'plain-words-that-look-like-no-key';
  const seen: unknown[] = [];
  const { run } = await runPrompt(
    go((prompt) =>
      prompt.defTool('send', '', z.object({ text: z.string() }), ({ text }) => void seen.push(text), {
        needsApproval: true,
      }),
    ),
    {
      model: scriptedModel([[call('send', { text: `it is ${key}` })], 'Done.']),
      env: { ANY_API_KEY: key },
    },
  );
  run.listen((event) => {
    if (event.type === 'approval-request')
      void run.respondToApproval(event.approvalId, { approved: true, input: { text: `once more ${key}` } });
  });
  const { approvals } = await run.finished;
  expect(seen).toEqual([`once more ${key}`]);
  expect(approvals).toMatchObject([
    {
      input: { text: 'it is [redacted]' },
      response: { approved: true, input: { text: 'once more [redacted]' } },
    },
  ]);
  const inEvents = run.log().filter(({ type }) => type !== 'tool-input-delta');
  expect(JSON.stringify(inEvents)).not.toContain(key);
});
