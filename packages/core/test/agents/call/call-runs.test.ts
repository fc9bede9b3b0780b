import { createRun, inProcess, runPrompt, tool, type CuelineError, type Run } from '@cueline/core';
import { createDialog, defineAgent, dialogFromJSON, tags } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { go } from '../../support.ts';
import { faultOf, lines, look, looks, talks } from './calls.ts';

describe('A dialog', () => {
  test('continues as a new dialog and leaves the old one unchanged', async () => {
    const agent = defineAgent({ ...talks, tools: [look] });
    const first = await agent.call('One.', { model: scriptedModel([looks('a', 'c1'), 'Uno.']) });
    const stored = dialogFromJSON(JSON.parse(JSON.stringify(first.dialog)));
    const model = scriptedModel(['Due.']);
    const second = await agent.call('Two.', { model, dialog: stored });
    expect(lines(model.calls[0]!.prompt)).toEqual([
      'system: Talk.',
      'user: One.',
      'assistant: look({"at":"a"})',
      'tool: = "seen a"',
      'assistant: Uno.',
      'user: Two.',
    ]);
    expect(second.dialog.id).toBe(first.dialog.id);
    expect(second.dialog.messages).toHaveLength(6);
    expect(stored.messages).toHaveLength(4);
  });

  test('can hold files', async () => {
    const model = scriptedModel(['A dot.']);
    const agent = defineAgent({ name: 'it', instructions: 'Look.' });
    const { dialog } = await agent.call(
      [
        { type: 'text', text: 'What is it?' },
        { type: 'image', image: Uint8Array.of(137, 80, 78, 71, 13, 10, 26, 10) },
        { type: 'image', image: new Blob([Uint8Array.of(1)], { type: 'image/png' }) },
      ],
      { model, dialog: createDialog(['Hi.', { role: 'assistant', content: 'Hi.' }]) },
    );
    expect(model.calls[0]!.prompt.at(-1)).toMatchObject({
      role: 'user',
      content: [
        { type: 'text' },
        { mediaType: 'image/png', data: { data: 'iVBORw0KGgo=' } },
        { data: { data: 'AQ==' } },
      ],
    });
    expect(dialogFromJSON(JSON.parse(JSON.stringify(dialog))).messages).toEqual(dialog.messages);
  });
});

describe('An agent as a prompt', () => {
  const agent = defineAgent({ ...talks, output: tags(['answer']) });

  test('keeps its own settings where those of the run are undefined', async () => {
    const model = scriptedModel(['Uno.']);
    const warm = defineAgent({ ...talks, options: { temperature: 0.7, topK: 5 } });
    await createRun(warm, { model, options: { temperature: undefined as never, topK: 9 } }).start('One.');
    expect(model.calls[0]).toMatchObject({ temperature: 0.7, topK: 9 });
  });

  test('has a run that shows how the model was corrected', async () => {
    const run = createRun(agent, { model: scriptedModel(['no', '<answer>yes</answer>']) });
    expect(await run.start('Is it?')).toEqual({ answer: 'yes' });
    expect(run.getState().steps[1]?.steered).toMatchObject([{ cause: 'correction' }]);
  });

  test('can continue a dialog', async () => {
    const model = scriptedModel(['<answer>1</answer>', 'two', '<answer>2</answer>']);
    const run = createRun(agent.prompt('One?', { dialog: createDialog('Before.') }), {
      executor: inProcess(),
      model,
    });
    expect(await run.start()).toEqual({ answer: '1' });
    expect(await run.send('Two?')).toEqual({ answer: '2' });
    expect(lines(model.calls[2]!.prompt).slice(1)).toEqual([
      'user: Before.',
      'user: One?',
      'assistant: <answer>1</answer>',
      'user: Two?',
      'assistant: two',
      expect.stringMatching(/^user: Your answer could not be used/) as string,
    ]);
  });

  test('removes invalid answers and their corrections from later turns', async () => {
    const model = scriptedModel(['no', 'nor this', '<answer>1</answer>', '<answer>2</answer>']);
    const run = createRun(agent, { model });
    expect(await run.start('One?')).toEqual({ answer: '1' });
    expect(await run.send('Two?')).toEqual({ answer: '2' });
    expect(lines(model.calls[3]!.prompt).slice(1)).toEqual([
      'user: One?',
      'assistant: <answer>1</answer>',
      'user: Two?',
    ]);
  });

  test('shows its object while it arrives', async () => {
    const schemed = defineAgent({ ...talks, output: z.object({ a: z.array(z.string()) }) });
    const run = createRun(schemed.prompt('Go.'), { model: scriptedModel(['{"a":["b"]}'], { chunkSize: 4 }) });
    const seen: unknown[] = [];
    run.listen((event) => event.type === 'text-delta' && seen.push(run.getState().object));
    expect(await run.start()).toEqual({ a: ['b'] });
    expect(seen).toContainEqual({ a: ['b'] });
  });

  test('has a run that fails with the error of the call', async () => {
    const run = createRun(agent, { model: scriptedModel(['a', 'b', 'c', 'd']) });
    await expect(run.start('Is it?')).rejects.toMatchObject({ code: 'parse_failed' });
    expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'parse_failed' } });
  });
});

describe('A call inside a tool', () => {
  const inner = defineAgent({
    name: 'inner',
    instructions: 'Inner.',
    tools: [look],
    output: tags(['answer']),
  });

  test('is part of the run of the tool', async () => {
    const model = scriptedModel([
      [{ toolCall: { name: 'ask', id: 'outer' } }],
      'no tags',
      looks('a', 'inner'),
      '<answer>42</answer>',
      'It is 42.',
    ]);
    const { run } = await runPrompt(
      go((prompt) =>
        prompt.defTool('ask', 'Ask', z.object({}), async (_, context) => {
          const { output, calls, run: own, attempts } = await inner.call('What?', { context });
          expect([calls.length, own, attempts]).toEqual([1, undefined, 2]);
          return output;
        }),
      ),
      { model },
    );
    const state = await run.finished;
    expect(state).toMatchObject({
      status: 'done',
      text: 'It is 42.',
      toolCalls: [{ toolName: 'ask', output: { answer: '42' } }],
      agents: [{ path: 'outer', name: 'inner', status: 'done', output: { answer: '42' }, input: 'What?' }],
    });
    expect(lines(model.calls[3]!.prompt)).toEqual([
      'system: Inner.\n\nWrite your answer in these tags: <answer>…</answer>.',
      'user: What?',
      'assistant: look({"at":"a"})',
      'tool: = "seen a"',
    ]);
  });

  test('fails its tool, and stops with its run', async () => {
    const faults: CuelineError[] = [];
    const ask = tool('ask', 'Ask', z.object({}), async (_, context) => {
      const error = await faultOf(inner.call('What?', { context }));
      faults.push(error);
      throw error;
    });
    const outer = defineAgent({ name: 'outer', instructions: 'Outer.', tools: [ask] });
    const model = scriptedModel([[{ toolCall: { name: 'ask' } }], 'a', 'b', 'c', 'd', 'Never mind.']);
    const { calls, output } = await outer.call('Go.', { model });
    expect(output).toBe('Never mind.');
    expect(calls).toMatchObject([
      { toolName: 'ask', error: expect.stringMatching(/^Agent "inner" gave no valid answer/) as string },
    ]);
    expect(faults[0]).toMatchObject({ code: 'parse_failed', details: { attempts: 4, exceptions: 4 } });

    const slow = scriptedModel([[{ toolCall: { name: 'ask' } }], [{ delay: 60_000 }, 'late']]);
    const controller = new AbortController();
    const call = outer.call('Go.', { model: slow, signal: controller.signal });
    await vi.waitUntil(() => slow.calls.length === 2);
    controller.abort();
    expect((await faultOf(call)).code).toBe('aborted');
    await vi.waitUntil(() => faults.length === 2);
    expect(faults[1]?.code).toBe('aborted');
  });
});

test('A call waits for the approval of a tool, and onRun gets the run that can give it', async () => {
  const sent: string[] = [];
  const send = tool(
    'send',
    'Send a letter',
    z.object({ to: z.string() }),
    ({ to }) => {
      sent.push(to);
      return 'sent';
    },
    { needsApproval: true },
  );
  const model = scriptedModel([[{ toolCall: { name: 'send', input: { to: 'Ada' } } }], 'It is sent.']);
  const clerk = defineAgent({ name: 'clerk', instructions: 'You send letters.', model, tools: [send] });
  const { output } = await clerk.call('Write to Ada.', {
    onRun(run) {
      run.listen((event) => {
        if (event.type === 'approval-request')
          void run.respondToApproval(event.approvalId, { approved: true });
      });
    },
  });
  expect(output).toBe('It is sent.');
  expect(sent).toEqual(['Ada']);
});

test.each(['throws', 'rejects'])(
  'A call whose onRun %s is stopped and rejects with that error',
  async (how) => {
    const clerk = defineAgent({ name: 'clerk', instructions: 'You talk.', model: scriptedModel(['Hello.']) });
    let seen: Run | undefined;
    const onRun = (run: Run): never => {
      seen = run;
      const error = new Error('no room to show it');
      if (how === 'rejects') return Promise.reject<never>(error) as never;
      throw error;
    };
    await expect(clerk.call('Hello.', { onRun })).rejects.toThrow('no room to show it');
    await expect.poll(() => seen?.getState().status).toBe('stopped');
  },
);
