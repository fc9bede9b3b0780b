import { definePrompt, runPrompt, type Prompt, type RunEvent } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { call, go, play, timeless, types } from '../support.ts';
import { after, codeOf } from '../support/runs.ts';

const sayHi = (prompt: Prompt) => prompt.$`Hi.`;

describe('runPrompt', () => {
  test('emits the whole event sequence of a run with a tool', async () => {
    const { events } = await play(
      (prompt) => {
        const name = prompt.def('USER_NAME', 'Ada');
        prompt.defTool(
          'getWeather',
          'Weather',
          z.object({ city: z.string() }),
          ({ city }) => `Sunny in ${city}`,
        );
        prompt.$`Help ${name}.`;
      },
      [['Look.', call('getWeather', { city: 'Lisbon' })], 'It is sunny.'],
    );
    expect(types(events)).toEqual([
      'run-start',
      'variable-set',
      'step-start',
      'text-start',
      'text-delta',
      'text-end',
      'tool-input-start',
      'tool-input-delta',
      'tool-input-end',
      'tool-start',
      'tool-end',
      'step-end',
      'step-start',
      'text-start',
      'text-delta',
      'text-end',
      'step-end',
      'run-end',
    ]);
    expect(timeless(events)[2]).toEqual({
      type: 'step-start',
      seq: 2,
      step: 0,
      request: {
        keep: 0,
        model: 'simulated:scripted',
        settings: {},
        instructions:
          'Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.\n\n<USER_NAME>Ada</USER_NAME>',
        instructionParts: [{ kind: 'variable', name: 'USER_NAME', start: 94, end: 120 }],
        messages: [{ role: 'user', content: 'Help <USER_NAME>.' }],
        tools: [{ name: 'getWeather', description: 'Weather', inputSchema: expect.any(Object) as object }],
      },
    });
    // the second step says only what is new in it
    expect(Object.keys((events[12] as Extract<RunEvent, { type: 'step-start' }>).request)).toEqual([
      'keep',
      'messages',
    ]);
  });

  test('returns the AI SDK’s result, and reading it runs the prompt', async () => {
    const model = scriptedModel([[call('add', { a: 2, b: 3 })], 'Five.']);
    const { result, prompt, run } = await runPrompt(
      (p) => {
        p.defTool('add', 'Adds', z.object({ a: z.number(), b: z.number() }), ({ a, b }) => a + b);
        p.$`2 + 3?`;
      },
      { model },
    );
    expect(await result.text).toBe('Five.');
    expect((await result.toolResults).map((r) => r.output)).toEqual([5]);
    expect((await result.usage).totalTokens).toBeGreaterThan(0);
    expect(await result.steps).toHaveLength(2);
    expect(run.getState().status).toBe('done');
    expect([...prompt.definitions.tools.keys()]).toEqual(['add']);
  });

  test('does nothing until something reads it', async () => {
    const { run } = await runPrompt(sayHi, {
      model: scriptedModel([[{ text: 'x'.repeat(5_000), chunkSize: 1 }]]),
    });
    await after(20);
    expect(run.getState().status).toBe('running');
    expect((await run.finished).text).toHaveLength(5_000);
  });

  test('logs tools that the AI SDK starts early after their call, with their true times', async () => {
    const { events, state } = await play(
      (prompt) => {
        prompt.defTool('slow', '', z.object({ ms: z.number() }), async ({ ms }) => {
          await after(ms);
          return ms;
        });
        prompt.$`Wait.`;
      },
      [[call('slow', { ms: 60 }), call('slow', { ms: 20 })], 'Done.'],
    );
    for (const toolCall of state.toolCalls) {
      const at = (type: string) =>
        events.findIndex((e) => e.type === type && 'toolCallId' in e && e.toolCallId === toolCall.toolCallId);
      expect(at('tool-input-end')).toBeLessThan(at('tool-start'));
      expect(at('tool-start')).toBeLessThan(at('tool-end'));
      expect(toolCall.ms).toBeGreaterThan((toolCall.input as { ms: number }).ms - 5);
    }
    const [first, second] = state.toolCalls;
    // in parallel: the second ends while the first still runs
    expect(second!.finishedAt!).toBeLessThan(first!.finishedAt!);
  });

  test('takes the input, name and model of a definition', async () => {
    const model = scriptedModel(['Ok.']);
    const plan = definePrompt(
      'plan',
      async (prompt, { city }: { city: string }) => {
        await Promise.resolve();
        prompt.$`Plan a day in ${city}.`;
      },
      { model },
    );
    const { run } = await runPrompt(plan, { input: { city: 'Faro' } });
    const state = await run.finished;
    expect(state.name).toBe('plan');
    expect(state.messages[0]!.parts).toEqual([{ type: 'text', text: 'Plan a day in Faro.' }]);
    expect(run.log()[0]).toMatchObject({ type: 'run-start', input: { city: 'Faro' }, simulated: true });
  });

  test('sends earlier turns after the prompt’s own messages', async () => {
    const first = await play(sayHi, ['Hello.']);
    const answer = first.run.getState().messages.at(-1)!;
    const again = await play(sayHi, ['You again.'], {
      messages: [answer, { id: 'u2', role: 'user', parts: [{ type: 'text', text: 'Once more.' }] }],
    });
    expect(
      again.model.calls[0]!.prompt.map((m) => [m.role, (m.content as { text: string }[])[0]?.text]),
    ).toEqual([
      ['user', 'Hi.'],
      ['assistant', 'Hello.'],
      ['user', 'Once more.'],
    ]);
    expect(again.run.getState().messages.map((m) => m.role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ]);
  });

  test.each([
    ['Hi.', "options.messages is 'Hi.'. Write [{ role: 'user', content: 'Hello!' }]."],
    [[{ id: 'u1', role: 'user', parts: [] }], 'options.messages[0] is not a message of the AI SDK'],
  ])('refuses other messages of the caller than the AI SDK has: %j', async (messages, message) => {
    const author = vi.fn<() => void>();
    const options = { messages: messages as never };
    await expect(play(author, ['Ok.'], { options })).rejects.toThrow(message);
    expect(author).not.toHaveBeenCalled();
  });

  test.each([
    ['messages', 'Hi.'],
    ['messages[0]', [{ role: 'user', content: 'Hi.' }]],
    ['messages[0]', [{ id: 'u1', role: 'user', parts: [null] }]],
  ])('refuses earlier turns that are not UIMessages, and says where others go: %s', async (path, turns) => {
    const refused = await play(sayHi, ['Ok.'], { messages: turns as never }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: 'invalid_options' });
    expect((refused as Error).message).toContain(`${path} is not`);
    expect((refused as Error).message).toContain('options: { messages: … }');
    const messages = [{ role: 'user' as const, content: 'Once more.' }];
    const { model } = await play(sayHi, ['Ok.'], { options: { messages } });
    expect(model.calls[0]!.prompt).toHaveLength(2);
  });

  test('logs all preliminary results before the final one', async () => {
    const { events, state } = await play(
      go((prompt) =>
        prompt.defTool('count', '', z.object({ n: z.number() }), async function* () {
          for (const step of [1, 2, 3, 4]) yield step;
        }),
      ),
      [[call('count', { n: 1 }), call('count', { n: 2 })], 'Done.'],
    );
    expect(state.toolCalls).toHaveLength(2);
    for (const { toolCallId } of state.toolCalls) {
      const outputs = events.flatMap((event) =>
        (event.type === 'tool-preliminary' || event.type === 'tool-end') && event.toolCallId === toolCallId
          ? [[event.type, event.output]]
          : [],
      );
      expect(outputs).toEqual([
        ['tool-preliminary', 1],
        ['tool-preliminary', 2],
        ['tool-preliminary', 3],
        ['tool-preliminary', 4],
        ['tool-end', 4],
      ]);
    }
  });

  test('treats a reused call id in a later answer as another call', async () => {
    const first = call('echo', { n: 1 }, 'call_0');
    const second = call('echo', { n: 2 }, 'call_0');
    const { run } = await play(
      go((prompt) => prompt.defTool('echo', '', z.object({ n: z.number() }), ({ n }) => `r${n}`)),
      [[first], [second], 'Done.'],
    );
    expect(
      run.getState().toolCalls.map(({ step, input, output, state }) => [step, input, output, state]),
    ).toEqual([
      [0, { n: 1 }, 'r1', 'output-available'],
      [1, { n: 2 }, 'r2', 'output-available'],
    ]);
  });

  test('keeps a log that does not change with the caller’s own objects', async () => {
    const turn = { id: 'u', role: 'user' as const, parts: [{ type: 'text' as const, text: 'before' }] };
    const { events } = await play(sayHi, ['Ok.'], { messages: [turn] });
    turn.parts[0]!.text = 'after';
    expect(JSON.stringify(events)).not.toContain('after');
  });

  test('applies what a tool defines from the next step on', async () => {
    const { model, state } = await play(
      go((prompt) =>
        prompt.defTool('learn', '', z.object({}), () => {
          prompt.def('FACT', 'Water is wet.');
          prompt.defTool('more', '', z.object({}), () => 'more');
          return 'ok';
        }),
      ),
      [[call('learn')], 'Fine.'],
    );
    const sent = model.calls.map((call) => [
      JSON.stringify(call.prompt).includes('Water is wet'),
      call.tools?.map((tool) => tool.name),
    ]);
    expect(sent).toEqual([
      [false, ['learn']],
      [true, ['learn', 'more']],
    ]);
    expect(state.variables['FACT']).toEqual({ kind: 'text', value: 'Water is wet.' });
  });

  test('refuses a tool that is added after a start without tools', async () => {
    const { prompt, state } = await play(sayHi, ['Fine.']);
    expect(state.status).toBe('done');
    expect(() => prompt.defTool('late', '', z.object({}), () => 1)).toThrow('started without tools');
  });

  test('refuses a message that is added after the start', async () => {
    const { state } = await play(
      go((prompt) => prompt.defTool('say', '', z.object({}), () => prompt.$`Late.`)),
      [[call('say')], 'Fine.'],
    );
    expect(state.toolCalls[0]!.errorText).toContain('first messages are fixed');
  });
});

describe('mistakes throw before anything is sent', () => {
  test.each<[string, () => Promise<unknown>, string]>([
    ['no model', () => runPrompt(sayHi, {}), 'invalid_options'],
    ['an unknown provider', () => runPrompt(sayHi, { model: 'nobody:x', env: {} }), 'unknown_model'],
    ['a missing key', () => runPrompt(sayHi, { model: 'openai:gpt-4o', env: {} }), 'missing_key'],
    ['no message', () => runPrompt(() => {}, { model: scriptedModel([]) }), 'invalid_definition'],
    ['no function', () => runPrompt('hello' as never, { model: scriptedModel([]) }), 'invalid_definition'],
    ['a definition without a name', async () => definePrompt('', sayHi), 'invalid_definition'],
  ])('%s', async (_name, act, code) => {
    expect(await codeOf(act())).toBe(code);
  });
});
