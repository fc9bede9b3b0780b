import { definePlugin, runPrompt, type Prompt } from '@cueline/core';
import { defineAgent } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { isStepCount } from 'ai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, go, play } from '../support.ts';
import { after, codeOf } from '../support/runs.ts';

const sayHi = (prompt: Prompt) => prompt.$`Hi.`;

describe('options', () => {
  test('reach the model call', async () => {
    const unchanged = {
      maxOutputTokens: 100,
      temperature: 0.5,
      topP: 0.9,
      topK: 40,
      presencePenalty: 0.1,
      frequencyPenalty: 0.2,
      stopSequences: ['END'],
      seed: 7,
      headers: { 'x-test': 'yes' },
      providerOptions: { test: { a: 1 } },
    };
    const tools = { ready: { description: 'Made', inputSchema: z.object({}), execute: () => 1 } };
    const { model, events } = await play(sayHi, ['Ok.'], {
      options: { ...unchanged, system: 'Be brief.', toolChoice: 'none', tools },
    });
    expect(model.calls[0]).toMatchObject({
      ...unchanged,
      toolChoice: { type: 'none' },
      tools: [{ name: 'ready' }],
    });
    expect(model.calls[0]!.prompt[0]).toMatchObject({ role: 'system', content: 'Be brief.' });
    const request = (events.find((e) => e.type === 'step-start') as { request: { settings: object } })
      .request;
    expect(request.settings).toMatchObject({ temperature: 0.5, seed: 7, toolChoice: 'none' });
    expect(JSON.stringify(events)).not.toContain('x-test');
  });

  test('callbacks under the old and the new name are both called', async () => {
    const called: string[] = [];
    const note = (name: string) => () => void called.push(name);
    const { result } = await play(
      go((prompt) => prompt.defTool('t', '', z.object({}), () => 1)),
      [[call('t')], 'Ok.'],
      {
        options: {
          onStart: note('start'),
          onStepStart: note('step-start'),
          onStepEnd: note('step-end'),
          onStepFinish: note('step-finish'),
          onEnd: note('end'),
          onFinish: note('finish'),
          onToolExecutionStart: note('tool-start'),
          onToolExecutionEnd: note('tool-end'),
          onChunk: ({ chunk }) => {
            if (chunk.type === 'text-delta') called.push('delta');
          },
        },
      },
    );
    // the AI SDK calls onEnd after the last part of the stream, which is where the run ends
    await result.text;
    await after(0);
    expect(called).toEqual(
      [
        'start',
        'step-start tool-start tool-end step-end step-finish',
        'step-start delta step-end step-finish',
        'end finish',
      ].flatMap((names) => names.split(' ')),
    );
  });

  test('prepareStep runs last and sees the compiled request', async () => {
    const other = scriptedModel(['From the other.'], { modelId: 'other' });
    const seen: unknown[] = [];
    const { model, state } = await play(
      go((prompt) => {
        prompt.defSystem('role', 'Helper.');
        prompt.defTool('a', '', z.object({}), () => 1);
        prompt.defTool('b', '', z.object({}), () => 2);
      }),
      [[call('a')]],
      {
        providers: { mine: () => other },
        options: {
          prepareStep: ({ stepNumber, instructions }) => {
            seen.push(instructions);
            return stepNumber === 0
              ? { activeTools: ['a'] }
              : { model: 'mine:other', system: 'Now brief.', temperature: 0.9 };
          },
        },
      },
    );
    expect(seen[0]).toBe('role:\nHelper.');
    expect(state.steps[1]!.request.settings).toMatchObject({ temperature: 0.9 });
    expect(model.calls[0]!.tools?.map((tool) => tool.name)).toEqual(['a']);
    expect(other.calls[0]!.prompt[0]).toMatchObject({ role: 'system', content: 'Now brief.' });
    expect(other.calls[0]!.tools?.map((tool) => tool.name)).toEqual(['a', 'b']);
    expect(state.steps.map(({ request }) => request.tools.map(({ name }) => name))).toEqual([
      ['a'],
      ['a', 'b'],
    ]);
    expect(state.text).toBe('From the other.');
    expect(state.steps.map((step) => step.request.model)).toEqual(['simulated:scripted', 'simulated:other']);
  });

  test('stopWhen stops a run, also beyond the default limit of 50 steps', async () => {
    const loop = Array.from({ length: 60 }, () => [call('t')]);
    const script = (prompt: Prompt) => {
      prompt.defTool('t', '', z.object({}), () => 1, { repeatable: true });
      prompt.$`Go.`;
    };
    const own = await play(script, loop, { options: { stopWhen: isStepCount(55) } });
    expect(own.run.getState().steps).toHaveLength(55);
    const short = await play(script, loop, { options: { stopWhen: isStepCount(2) } });
    expect(short.run.getState().steps).toHaveLength(2);
    expect(short.run.getState().warnings).toEqual([]);
  });

  test('instructions from prepareStep also apply to later steps, as in the AI SDK', async () => {
    const seen: unknown[] = [];
    const { model } = await play(
      go((prompt) => {
        prompt.def('A', 'a');
        prompt.defTool('t', '', z.object({}), () => 1);
      }),
      [[call('t')], 'Ok.'],
      {
        options: {
          prepareStep: ({ stepNumber, instructions }) => {
            seen.push(instructions);
            return stepNumber === 0 ? { instructions: 'B' } : {};
          },
        },
      },
    );
    expect(model.calls.map((call) => call.prompt[0]!.content)).toEqual(['B', 'B']);
    expect(seen[1]).toBe('B');
  });

  test('settings that the AI SDK refuses are reported before the run starts', async () => {
    const refused = runPrompt(sayHi, { model: scriptedModel(['Ok.']), options: { maxOutputTokens: -1 } });
    expect(await codeOf(refused)).toBe('invalid_options');
  });

  test('plugins define before the prompt does', async () => {
    const house = definePlugin({ name: 'house', setup: (prompt) => prompt.defSystem('style', 'Be brief.') });
    const { model } = await play(
      go((prompt) => prompt.defSystem('role', 'Helper.')),
      ['Ok.'],
      { options: { plugins: [house], systemFormat: 'xml' } },
    );
    expect(model.calls[0]!.prompt[0]).toMatchObject({
      content: '<style>Be brief.</style>\n<role>Helper.</role>',
    });
  });

  test('a tool of options that clashes with one of the prompt is refused', async () => {
    const clash = runPrompt(
      go((prompt) => prompt.defTool('t', '', z.object({}), () => 1)),
      { model: scriptedModel([]), options: { tools: { t: { inputSchema: z.object({}) } } } },
    );
    expect(await codeOf(clash)).toBe('invalid_definition');
  });
});

describe('a wrong setting', () => {
  const options: [object, string][] = [
    ...[Number.NaN, -1, 1.5, Infinity, '2', null].map((value): [object, string] => [
      { maxRetries: value },
      `options.maxRetries is ${value === '2' ? "'2'" : value}. Give a whole number of at least 0.`,
    ]),
    [{ streamRetries: -1 }, 'options.streamRetries is -1. Give a whole number of at least 0.'],
    [{ systemFormat: 'yaml' }, "options.systemFormat is 'yaml'. Write 'labels' or 'xml'."],
    [{ temperature: '0.5' }, "options.temperature is '0.5'. Write temperature: 0.5."],
    [{ temperature: Number.NaN }, 'options.temperature is NaN. Write temperature: 0.5.'],
    [{ topP: '1' }, "options.topP is '1'. Write topP: 0.9."],
    [{ stopSequences: 'END' }, "options.stopSequences is 'END'. Write stopSequences: ['END']."],
    [{ activeTools: 'search' }, "options.activeTools is 'search'. Write activeTools: ['search']."],
    [
      { toolChoice: 'search' },
      "options.toolChoice is 'search'. Write toolChoice: { type: 'tool', toolName: 'search' }, or 'auto', 'none' or 'required'.",
    ],
    [
      { toolChoice: { toolName: 'look' } },
      "options.toolChoice is an object. Write toolChoice: { type: 'tool', toolName: 'search' }, or 'auto', 'none' or 'required'.",
    ],
    ...[5, true, null].map((value): [object, string] => [
      { stopWhen: value },
      `options.stopWhen is ${value}. Write stopWhen: isStepCount(5), with isStepCount from 'ai'.`,
    ]),
    [
      { headers: new Headers({ 'x-a': 'b' }) },
      "options.headers is an object. Write headers: { 'x-name': 'value' }.",
    ],
    // a long text is cut, and never inside a character
    [
      { systemFormat: `${'a'.repeat(39)}😀` },
      `options.systemFormat is '${'a'.repeat(39)}…'. Write 'labels' or 'xml'.`,
    ],
  ];

  test.each(options)('%o is refused before the run starts', async (wrong, message) => {
    const model = scriptedModel([]);
    const starting = runPrompt(sayHi, { model, options: wrong });
    await expect(starting).rejects.toMatchObject({ code: 'invalid_options', message });
    const agent = defineAgent({ name: 'helper', instructions: 'Help.', model, options: wrong });
    await expect(agent.call('Help me.')).rejects.toThrow(message);
    expect(model.calls).toEqual([]);
  });

  test.each([true, 'user-approval'])(
    'a toolApproval that would ask about nothing is refused: %o',
    async (wrong) => {
      const model = scriptedModel([]);
      const starting = runPrompt(sayHi, { model, options: { toolApproval: wrong as never } });
      await expect(starting).rejects.toThrow(
        "Write toolApproval: { search: 'user-approval' }, or approval: true for all tools that change something.",
      );
      expect(model.calls).toEqual([]);
    },
  );

  test('null is no value', async () => {
    const options = { temperature: null, toolChoice: null, stopSequences: null, headers: null } as object;
    const { state } = await play(sayHi, ['Ok.'], { options });
    expect(state.status).toBe('done');
  });

  test('what prepareStep returns is checked like a hook’s', async () => {
    const { state, model } = await play(sayHi, [], {
      options: { prepareStep: () => ({ activeTools: 'search' as never }) },
    });
    expect(state).toMatchObject({
      error: {
        code: 'script_error',
        message: "prepareStep, at step 0, returned activeTools: 'search'. Write activeTools: ['search'].",
      },
    });
    expect(model.calls).toEqual([]);
  });

  test.each([z.object({ city: z.string() }), 'object', null])(
    'an output that the AI SDK did not make is refused: %o',
    async (output) => {
      const model = scriptedModel([]);
      const starting = runPrompt(sayHi, { model, options: { output: output as never } });
      await expect(starting).rejects.toThrow(/^options\.output is .+\. Write Output\.object\(/);
      expect(model.calls).toEqual([]);
    },
  );

  test.each(options)('%o is refused for an agent', async (wrong, message) => {
    const starting = runPrompt(
      go((prompt) => prompt.defAgent('helper', '', z.object({}), (_args, own) => own.$`Help.`, wrong)),
      { model: scriptedModel([]) },
    );
    await expect(starting).rejects.toMatchObject({
      code: 'invalid_definition',
      message: `Agent helper: ${message}`,
    });
  });

  test.each(options)('%o is refused for an agent that a tool calls', async (wrong, message) => {
    const helper = defineAgent({ name: 'helper', instructions: 'Help.', options: wrong });
    const { state } = await play(
      go((prompt) =>
        prompt.defTool('ask', '', z.object({}), (_args, context) => helper.call('Help me.', { context })),
      ),
      [[call('ask')], 'Done.'],
    );
    expect(state.toolCalls[0]?.errorText).toContain(message);
    expect(state.agents).toEqual([]);
  });
});
