// The prompt language: each example as it is promised, and what the model is sent for it.
import { runPrompt, type PromptSource } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent-requests.ts';
import { outputs, play } from './run-scripted.ts';
import { call } from '../support.ts';

describe('defAgent', () => {
  test('a model as a string, and a system prompt of its own', async () => {
    const parent = scriptedModel([[call('researcher', { topic: 'tides' })], 'The moon does it.']);
    const child = scriptedModel(['The moon pulls the sea.']);
    const { run } = await runPrompt(
      (prompt) => {
        prompt.defSystem('role', 'Editor.');
        prompt.defAgent(
          'researcher',
          'Research a topic in depth',
          z.object({ topic: z.string() }),
          async (args, prompt) => {
            prompt.$`Research the topic: ${args.topic}`;
          },
          {
            model: 'openai:gpt-4o', // String format
            system: 'You are a research specialist.',
          },
        );
        prompt.$`What makes the tides?`;
      },
      {
        model: 'anthropic:claude-3-5-sonnet-20241022',
        providers: { openai: () => child, anthropic: () => parent },
        options: { temperature: 0.7 },
      },
    );
    const state = await run.finished;
    expect(sent(child)).toEqual([
      {
        system: 'You are a research specialist.',
        messages: ['user: Research the topic: tides'],
        tools: [],
      },
    ]);
    // the parent's settings are its own
    expect(child.calls[0]!.temperature).toBeUndefined();
    expect(sent(parent)).toEqual([
      { system: 'role:\nEditor.', messages: ['user: What makes the tides?'], tools: ['researcher'] },
      {
        system: 'role:\nEditor.',
        messages: [
          'user: What makes the tides?',
          'assistant calls researcher {"topic":"tides"}',
          'researcher answers The moon pulls the sea.',
        ],
        tools: ['researcher'],
      },
    ]);
    expect(
      run
        .log()
        .map(({ type, agent }) => (agent === undefined ? type : `${agent}: ${type}`))
        .join('\n'),
    ).toMatchInlineSnapshot(`
      "run-start
      step-start
      tool-input-start
      tool-input-delta
      tool-input-end
      tool-start
      call-0-0: agent-start
      call-0-0: step-start
      call-0-0: text-start
      call-0-0: text-delta
      call-0-0: text-end
      call-0-0: step-end
      call-0-0: agent-end
      tool-end
      step-end
      step-start
      text-start
      text-delta
      text-end
      step-end
      run-end"
    `);
    expect(state.agents).toMatchObject([{ status: 'done', text: 'The moon pulls the sea.' }]);
  });

  test('a model of a provider itself', async () => {
    const child = scriptedModel(['Up.'], { provider: 'openai', modelId: 'gpt-4o' });
    const openai = (_modelId: string) => child;
    const { sent: parent } = await play(
      (prompt) => {
        prompt.defAgent(
          'analyst',
          'Analyze data with structured output',
          z.object({ data: z.string() }),
          async (args, prompt) => {
            prompt.$`Analyze: ${args.data}`;
          },
          {
            model: openai('gpt-4o'), // Direct provider
            system: 'You are a data analyst.',
          },
        );
        prompt.$`Which way?`;
      },
      [[call('analyst', { data: '1, 2, 3' })], 'Up.'],
    );
    expect(sent(child)).toEqual([
      { system: 'You are a data analyst.', messages: ['user: Analyze: 1, 2, 3'], tools: [] },
    ]);
    expect(parent[1]!.messages.at(-1)).toBe('analyst answers Up.');
  });

  test('responseSchema: the parent gets the object', async () => {
    const { sent, model, events } = await play(
      (prompt) => {
        prompt.defAgent(
          'analyst',
          'Analyze data with structured output',
          z.object({ data: z.string() }),
          async (args, prompt) => {
            prompt.$`Analyze: ${args.data}`;
          },
          { responseSchema: z.object({ trend: z.enum(['up', 'down']) }) },
        );
        prompt.$`Which way?`;
      },
      [[call('analyst', { data: '1, 2, 3' })], '{"trend":"up"}', 'Up.'],
    );
    expect(model.calls[1]!.responseFormat).toMatchObject({
      type: 'json',
      schema: { properties: { trend: { enum: ['up', 'down'] } } },
    });
    expect(outputs(events)).toEqual([{ trend: 'up' }]);
    expect(sent[2]!.messages.at(-1)).toBe('analyst answers {"trend":"up"}');
  });

  test('without a model, it uses the model of its parent', async () => {
    const { sent } = await play(
      (prompt) => {
        prompt.defAgent('echo', '', z.object({ text: z.string() }), ({ text }, own) => own.$`Say ${text}`);
        prompt.$`Go.`;
      },
      [[call('echo', { text: 'hi' })], 'hi', 'Done.'],
    );
    expect(sent.map(({ messages }) => messages)).toEqual([
      ['user: Go.'],
      ['user: Say hi'],
      ['user: Go.', 'assistant calls echo {"text":"hi"}', 'echo answers hi'],
    ]);
  });
});

describe('defHook', () => {
  const twoTools: PromptSource = (prompt) => {
    prompt.defTool('search', '', z.object({ n: z.number() }), ({ n }) => `result ${n}`);
    prompt.defTool('write', '', z.object({}), () => 'written');
    prompt.$`Go.`;
  };

  test('is called before each step', async () => {
    const seen: unknown[] = [];
    const { model } = await play(
      async (prompt) => {
        await twoTools(prompt);
        prompt.def('TOPIC', 'tides');
        prompt.defData('FACTS', { moon: 1 });
        prompt.defHook(({ messages, model, steps, stepNumber, variables }) => {
          seen.push({ messages: messages.length, model, steps: steps.length, stepNumber, variables });
          return {};
        });
      },
      [[call('search', { n: 1 })], 'Done.'],
    );
    const variables = {
      TOPIC: { type: 'string', value: 'tides' },
      FACTS: { type: 'data', value: { moon: 1 } },
    };
    expect(seen).toEqual([
      { messages: 1, model, steps: 0, stepNumber: 0, variables },
      { messages: 3, model, steps: 1, stepNumber: 1, variables },
    ]);
  });

  test('controls the available tools', async () => {
    const { sent } = await play(
      async (prompt) => {
        await twoTools(prompt);
        prompt.defHook(({ stepNumber }) => {
          if (stepNumber === 0) {
            return { activeTools: ['search'] }; // Only search on first step
          }
          return {};
        });
      },
      [[call('search', { n: 1 })], [call('write')], 'Done.'],
    );
    expect(sent.map(({ tools }) => tools)).toEqual([['search'], ['search', 'write'], ['search', 'write']]);
  });

  test('filters messages to a sliding window', async () => {
    const turns = Array.from({ length: 8 }, (_, n) => [call('search', { n })]);
    const { sent } = await play(
      async (prompt) => {
        await twoTools(prompt);
        prompt.defSystem('role', 'Searcher.');
        prompt.defHook(({ messages }) => {
          const systemMessages = messages.filter((m) => m.role === 'system');
          const otherMessages = messages.filter((m) => m.role !== 'system').slice(-10);
          return { messages: [...systemMessages, ...otherMessages] };
        });
      },
      [...turns, 'Done.'],
    );
    expect(sent.map(({ messages }) => messages.length)).toEqual([1, 3, 5, 7, 9, 10, 10, 10, 10]);
    expect(sent.every(({ system }) => system === 'role:\nSearcher.')).toBe(true);
    expect(sent[8]!.messages).toEqual(
      [3, 4, 5, 6, 7].flatMap((n) => [`assistant calls search {"n":${n}}`, `search answers result ${n}`]),
    );
  });

  test('gives a step its own system prompt', async () => {
    vi.useFakeTimers({ toFake: ['Date'], now: Date.UTC(2026, 10, 22, 12) });
    const { sent } = await play(
      async (prompt) => {
        await twoTools(prompt);
        prompt.def('TOPIC', 'tides');
        // Add dynamic system prompt based on context
        prompt.defHook(({ stepNumber }) => {
          return {
            system: `Step ${stepNumber}. Current time: ${new Date().toISOString()}`,
          };
        });
      },
      [[call('search', { n: 1 })], 'Done.'],
      { options: { system: 'Never seen.' } },
    ).finally(() => vi.useRealTimers());
    expect(sent.map(({ system }) => system)).toEqual([
      'Step 0. Current time: 2026-11-22T12:00:00.000Z',
      'Step 1. Current time: 2026-11-22T12:00:00.000Z',
    ]);
  });

  test('modifies variables, which keep their new values', async () => {
    const { sent, events } = await play(
      async (prompt) => {
        await twoTools(prompt);
        prompt.def('TOPIC', 'tides');
        // Modify variables during execution
        prompt.defHook(({ variables, stepNumber }) => {
          return {
            variables: {
              ...variables,
              CURRENT_STEP: { type: 'string', value: String(stepNumber) },
            },
          };
        });
      },
      [[call('search', { n: 1 })], 'Done.'],
    );
    expect(sent.map(({ system }) => system)).toEqual(
      [0, 1].map(
        (step) =>
          `Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

<TOPIC>tides</TOPIC>
<CURRENT_STEP>${step}</CURRENT_STEP>`,
      ),
    );
    expect(events.flatMap((e) => (e.type === 'variable-set' ? [[e.name, e.value]] : []))).toEqual([
      ['TOPIC', 'tides'],
      ['CURRENT_STEP', '0'],
      ['CURRENT_STEP', '1'],
    ]);
  });
});
