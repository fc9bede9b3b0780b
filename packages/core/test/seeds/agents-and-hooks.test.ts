// The prompt language: each example as it is promised, and what the model is sent for it.
import { runPrompt, type PromptSource } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent-requests.ts';
import { call } from '../support.ts';
import { play } from './run-scripted.ts';

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
});
