import { tool as namedTool } from '@cueline/core';
import { classify, defineAgent, runAgentSession, tags } from '@cueline/core/agents';
import { demoModel } from '@cueline/core/testing';
import { generateText, Output, tool } from 'ai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { ask, weather } from './ask-demo-model.ts';

describe('demoModel', () => {
  test('names a few of many variables, and how many more exist', async () => {
    const tagged = Array.from({ length: 20_000 }, (_, i) => `<V${i}>x</V${i}>`).join('\n');
    const { text } = await ask({ instructions: tagged, prompt: 'Hi' });
    expect(text).toContain('I was given V0, V1,');
    expect(text).toContain('V11 and 19,988 more, which a real model would use.');
  });

  test('introduces itself, and restates the request with its variables', async () => {
    const { text, usage } = await ask({
      instructions: 'Variables are given as <NAME>value</NAME>.\n\n<USER_NAME>Ada</USER_NAME>',
      prompt: 'Help <USER_NAME> plan the day.',
    });
    expect(text).toMatchInlineSnapshot(`
      "I am the built-in simulated model: I follow rules, and understand nothing. Pick a model and give its key for real answers.

      You ask: “Help Ada plan the day.”

      I was given USER_NAME, which a real model would use.

      No tool is left to call for this, so that is all that I can say about it."
    `);
    expect(usage.inputTokens).toBeGreaterThan(10);
    expect(usage.outputTokens).toBe(Math.ceil(text.length / 4));
  });

  test('ends the sentence that restates a request, and cuts a long one between characters', async () => {
    const { texts, calls } = await ask({
      prompt: `a${'🙂'.repeat(200)}`,
      tools: {
        note: tool({ inputSchema: z.object({ about: z.string() }), execute: async () => '🙂'.repeat(200) }),
      },
    });
    expect(texts[0]).toContain(`You ask: “a${'🙂'.repeat(79)}…” I call note.`);
    expect([...texts, ...calls].join('')).not.toMatch(/\p{Surrogate}/u);
    expect((await ask({ prompt: 'Plan the day' })).text).toContain('You ask: “Plan the day”.\n');
  });

  test('calls a tool with the values that the request mentions, and quotes the result', async () => {
    const { texts, calls } = await ask({ prompt: 'What is the weather in Berlin?', tools: { weather } });
    expect(calls).toEqual(['weather {"city":"Berlin"}']);
    expect(texts[0]).toContain('I call weather.');
    expect(texts[1]).toMatchInlineSnapshot(`
      "On “What is the weather in Berlin?”, this is what I found:

      weather returned:

      - **city**: Berlin
      - **temperature**: 21
      - **sky**: clear"
    `);
  });

  test('calls tools that read first, and gives the others what they found', async () => {
    const { calls, text } = await ask({
      prompt: 'Find a hotel in Porto for 3 nights and book it.',
      tools: {
        bookHotel: tool({
          inputSchema: z.object({ hotelId: z.string() }),
          execute: async (): Promise<string> => {
            throw new Error('the card was refused');
          },
        }),
        searchHotels: tool({
          inputSchema: z.object({ city: z.string(), nights: z.int() }),
          execute: async () => [{ id: 'h-17', name: 'Casa' }],
        }),
        ping: tool({ inputSchema: z.object({}), execute: async () => null }),
      },
    });
    expect(calls).toEqual([
      'searchHotels {"city":"Porto","nights":3}',
      'ping {}',
      'bookHotel {"hotelId":"h-17"}',
    ]);
    expect(text).toContain('bookHotel failed: the card was refused.');
    expect(text).toContain('- id h-17, name Casa');
    expect(text).toContain('ping is done, and had nothing to report.');
  });

  test('calls each tool once, for any number of tools', async () => {
    const names = Array.from({ length: 11 }, (_, index) => `read${index}`);
    const tools = Object.fromEntries(
      names.map((name) => [name, tool({ inputSchema: z.object({}), execute: async () => name })]),
    );
    const { calls } = await ask({ tools });
    expect(calls).toHaveLength(names.length);
    expect(new Set(calls.map((call) => call.split(' ')[0]))).toEqual(new Set(names));
  });

  test('reports a denied tool and does not call it again', async () => {
    const { text, calls } = await ask({
      messages: [
        { role: 'user', content: 'Go' },
        {
          role: 'assistant',
          content: [{ type: 'tool-call', toolCallId: '1', toolName: 'weather', input: { city: 'Faro' } }],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: '1',
              toolName: 'weather',
              output: { type: 'execution-denied', reason: 'not today' },
            },
          ],
        },
      ],
      tools: { weather },
    });
    expect(calls).toEqual([]);
    expect(text).toContain('weather was not allowed to run: not today.');
  });

  test.each(['none', 'required', { type: 'tool', toolName: 'other' }] as const)(
    'honours toolChoice %j',
    async (toolChoice) => {
      const other = tool({ inputSchema: z.object({}), execute: async () => 1 });
      const { calls } = await ask({ tools: { weather, other }, toolChoice, steps: 1 });
      const expected = { none: [], required: ['weather {"city":"Lisbon"}', 'other {}'], tool: ['other {}'] };
      expect(calls).toEqual(expected[typeof toolChoice === 'string' ? toolChoice : 'tool']);
    },
  );

  test('calls a tool again where toolChoice is required', async () => {
    const { calls } = await ask({ tools: { weather }, toolChoice: 'required', steps: 3 });
    expect(calls).toHaveLength(3);
  });

  test('answers a schema with a valid instance', async () => {
    const schema = z.object({ name: z.string(), age: z.int(), tags: z.array(z.string()).min(2) });
    const { output } = await generateText({
      model: demoModel({ pace: 0 }),
      prompt: 'The age is 36.',
      output: Output.object({ schema }),
    });
    expect(output.age).toBe(36);
    expect(output.tags).toHaveLength(2);
  });

  test('answers a follow-up without introducing itself again', async () => {
    const { texts, calls } = await ask({
      messages: [
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Hi.' },
        { role: 'user', content: 'And the weather in Rome?' },
      ],
      tools: { weather },
    });
    expect(texts[0]).toBe('You now ask: “And the weather in Rome?” I call weather.');
    expect(calls).toEqual(['weather {"city":"Rome"}']);
  });

  test('gives the same answer to the same conversation', async () => {
    const settings = { prompt: 'Weather in Oslo?', tools: { weather } };
    expect(await ask(settings)).toEqual(await ask(settings));
  });

  test('ends at once when it is aborted', async () => {
    const controller = new AbortController();
    const { stream } = await demoModel({ pace: 60_000 }).doStream({
      prompt: [],
      abortSignal: controller.signal,
    });
    const reader = stream.getReader();
    await reader.read();
    await reader.read();
    const pending = reader.read();
    controller.abort();
    await expect(pending).rejects.toMatchObject({ name: 'AbortError' });
  });
});

describe('demoModel in an agent call', () => {
  const model = demoModel({ pace: 0 });

  test('answers in the requested tags', async () => {
    const planner = defineAgent({
      name: 'planner',
      instructions: 'You plan days.',
      model,
      output: tags({ required: ['city', 'note'], optional: ['weather'] }),
    });
    const { output, attempts } = await planner.call('Plan a day in Lisbon.');
    expect(output).toEqual({ city: 'Lisbon', note: expect.stringMatching(/./) });
    expect(attempts).toBe(1);
  });

  test('answers with the label in the text, otherwise always with the same one', async () => {
    const ask = (text: string) => classify(text, ['praise', 'complaint'], { model });
    expect(await ask('This is a complaint.')).toEqual({ label: 'complaint', source: 'label' });
    expect(await ask('Where is my parcel?')).toEqual(await ask('Where is my parcel?'));
  });

  test('works through a session and completes it', async () => {
    const { completionReason, totalTurns } = await runAgentSession(model, {
      systemPrompt: 'You water plants.',
      initialMessage: 'Water the basil.',
      tools: [namedTool('water', 'Water a plant', z.object({ plant: z.string() }), () => 'watered')],
    });
    expect({ completionReason, totalTurns }).toEqual({ completionReason: 'task_complete', totalTurns: 2 });
  });
});

test('the demo model refuses an option that does not exist', () => {
  expect(() => demoModel({ speed: 0 } as never)).toThrow('demoModel has no "speed". There are: pace, now.');
});
