// What a hook gets wrong is said to be the hook's, and what it writes into is its own.
import type { Hook, HookResult } from '@cueline/core';
import type { ModelMessage } from 'ai';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { sent } from '../sent-requests.ts';
import { call, play } from '../support.ts';

const look = call('look', {});

/** A run of two steps, of which the first calls a tool. */
function hooked(...hooks: unknown[]) {
  return play(
    (prompt) => {
      prompt.defSystem('role', 'Helper.');
      prompt.defTool('look', 'Looks', z.object({}), () => 'seen');
      prompt.$`Go.`;
      for (const hook of hooks) prompt.defHook(hook as Hook);
    },
    [[look], 'Done.'],
  );
}

test.each<[unknown, string]>([
  ['x', "A hook returned 'x'. Return an object, such as { activeTools: ['search'] }, or nothing."],
  [
    [{ role: 'user' }],
    "A hook returned a list. Return an object, such as { activeTools: ['search'] }, or nothing.",
  ],
  [{ activeTools: 'search' }, "A hook returned activeTools: 'search'. Write activeTools: ['search']."],
  [{ activeTools: [5] }, "A hook returned activeTools: a list. Write activeTools: ['search']."],
  [
    { toolChoice: 'search' },
    "A hook returned toolChoice: 'search'. Write toolChoice: { type: 'tool', toolName: 'search' }, or 'auto', 'none' or 'required'.",
  ],
  [{ temperature: '0.5' }, "A hook returned temperature: '0.5'. Write temperature: 0.5."],
  [{ messages: 'hi' }, "A hook returned messages: 'hi'. Write messages: [{ role: 'user', content: 'hi' }]."],
  [
    { messages: {} },
    "A hook returned messages: an object. Write messages: [{ role: 'user', content: '…' }].",
  ],
  [{ system: 5 }, "A hook returned system: 5. Write system: '…'."],
  [{ system: [{ role: 'user', content: 'x' }] }, "A hook returned system: a list. Write system: '…'."],
  [{ model: 5 }, "A hook returned model: 5. Write model: 'openai:gpt-4o', or a model of the AI SDK's."],
  [
    { variables: 'x' },
    "A hook returned variables: 'x'. Write variables: { NAME: { type: 'string', value: '…' } }.",
  ],
  ...[
    { role: 'user' },
    { role: 'nobody', content: 'x' },
    { role: 'tool', content: 'x' },
    { role: 'user', content: ['x'] },
    { content: 'x' },
    'x',
    null,
  ].map((message): [unknown, string] => [
    { messages: [{ role: 'user', content: 'x' }, message] },
    "A hook returned messages[1] without a role and content that fits the role. Write { role: 'user', content: '…' }.",
  ]),
])('%o ends the run with script_error', async (result, message) => {
  const { run, model } = await hooked(() => result);
  expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'script_error', message } });
  expect(model.calls).toHaveLength(0);
});

test('null counts as left out', async () => {
  const nothing = Object.fromEntries(
    ['messages', 'activeTools', 'system', 'model', 'variables', 'temperature', 'toolChoice'].map((name) => [
      name,
      null,
    ]),
  );
  const { run, model } = await hooked(() => nothing);
  expect(run.getState()).toMatchObject({ status: 'done', warnings: [] });
  expect(sent(model)[0]).toEqual({ system: 'role:\nHelper.', messages: ['user: Go.'], tools: ['look'] });
});

test('an unknown name is a warning, once in a run', async () => {
  const { run } = await hooked(() => ({
    activeTool: ['look'],
    color: 'red',
    activeTools: ['look', 'smell'],
  }));
  expect(run.getState().status).toBe('done');
  expect(run.getState().warnings).toEqual([
    'A hook returned activeTool, which hooks cannot change. Did you mean activeTools?',
    'A hook returned color, which hooks cannot change. There are: activeTools, experimental_sandbox, frequencyPenalty, maxOutputTokens, messages, model, presencePenalty, providerOptions, reasoning, runtimeContext, seed, stopSequences, system, temperature, toolChoice, toolOrder, toolsContext, topK, topP, variables.',
    'A hook asked for the tool smell, which is not defined. There are: look.',
  ]);
});

test('a system prompt may be a list of messages', async () => {
  const { model } = await hooked(() => ({ system: [{ role: 'system', content: 'Own.' }] }));
  expect(sent(model)[0]!.system).toBe('Own.');
});

test('a hook that another hook defines is called from the next step on', async () => {
  const asked: string[] = [];
  await play(
    (prompt) => {
      prompt.defTool('look', '', z.object({}), () => 'seen');
      prompt.$`Go.`;
      const grow: Hook = ({ stepNumber }) => {
        asked.push(`outer ${stepNumber}`);
        prompt.defHook((step) => void asked.push(`inner ${step.stepNumber}`));
      };
      prompt.defHook(grow);
    },
    [[look], 'Done.'],
  );
  expect(asked).toEqual(['outer 0', 'outer 1', 'inner 1']);
});

describe('an object that a hook changes in place', () => {
  const scribble = (messages: ModelMessage[]): void => {
    const [first] = messages as { content: unknown }[];
    first!.content = 'Scribbled.';
    for (const { content } of messages) {
      if (typeof content === 'string') continue;
      for (const part of content as { type: string; text?: string; toolName?: string }[]) part.type = 'gone';
      (content as unknown[]).length = 0;
    }
    messages.length = 0;
  };

  test('has no effect on later hooks or on the run', async () => {
    const seen: number[] = [];
    const { run, model } = await hooked(
      ({ messages, activeTools, variables }: Parameters<Hook>[0]) => {
        scribble(messages);
        activeTools.length = 0;
        variables['X'] = { type: 'string', value: 'x' };
      },
      ({ messages }: Parameters<Hook>[0]) => void seen.push(messages.length),
    );
    expect(run.getState().status).toBe('done');
    expect(seen).toEqual([1, 3]);
    expect(sent(model)[1]).toEqual({
      system: 'role:\nHelper.',
      messages: ['user: Go.', 'assistant calls look {}', 'look answers seen'],
      tools: ['look'],
    });
  });

  test('is sent in that step if the hook returns it', async () => {
    const { model } = await hooked(({ messages, stepNumber }: Parameters<Hook>[0]): HookResult => {
      if (stepNumber > 0) return {};
      messages[0]!.content = 'Written.';
      return { messages };
    });
    expect(sent(model).map(({ messages }) => messages[0])).toEqual(['user: Written.', 'user: Go.']);
  });

  test.each<[string, (message: ModelMessage) => void]>([
    ['a field of a message', (message) => Object.assign(message, { providerOptions: { a: {} } })],
    ['a part', ({ content }) => Object.assign(content[0]!, { providerOptions: { a: {} } })],
    ['a list of parts', ({ content }) => (content as unknown[]).push({ type: 'text', text: 'x' })],
  ])('is sent with its changes if the hook returns it: %s', async (_what, write) => {
    const { model } = await hooked(({ messages, stepNumber }: Parameters<Hook>[0]): HookResult => {
      if (stepNumber === 0) return {};
      write(messages[1]!);
      return { messages };
    });
    const changed = model.calls[1]!.prompt.find(({ role }) => role === 'assistant');
    expect(JSON.stringify(changed)).toMatch(/"providerOptions":\{"a"|"text":"x"/);
  });

  test('is not logged again if it is unchanged', async () => {
    const { run } = await hooked(({ messages }: { messages: ModelMessage[] }) => ({
      messages: [...messages],
    }));
    const starts = run.log().filter((event) => event.type === 'step-start');
    expect(starts.map(({ request }) => request.keep)).toEqual([0, 1]);
  });
});

test.each([
  ['all', 0, () => []],
  ['all except a result without its call', 1, <Message>(messages: Message[]) => messages.slice(-1)],
])('a hook that removes %s of the messages ends the run with script_error', async (_what, step, cut) => {
  const { run, model } = await hooked(({ messages }: { messages: unknown[] }) => ({
    messages: cut(messages),
  }));
  expect(run.getState()).toMatchObject({
    status: 'error',
    error: {
      code: 'script_error',
      message: `A hook left no messages for step ${step}; a tool result without its call does not count. Keep some, such as [...messages.slice(0, 1), ...messages.slice(1).slice(-10)].`,
    },
  });
  expect(model.calls).toHaveLength(step);
});
