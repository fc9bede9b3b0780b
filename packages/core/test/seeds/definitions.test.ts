// The prompt language: each example as it is promised, and what the model is sent for it.
import type { Prompt } from '@cueline/core';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { transcript } from '../sent-requests.ts';
import { call } from '../support.ts';
import { play } from './run-scripted.ts';

const variables =
  'Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.\n\n';

test.each<[string, (prompt: Prompt) => void, string | undefined, string[]]>([
  [
    'defMessage adds messages of the user and of the assistant',
    (prompt) => {
      prompt.defMessage('user', 'Hello!');
      prompt.defMessage('assistant', 'Hi there! How can I help?');
      prompt.defMessage('user', 'Tell me a joke.');
    },
    undefined,
    ['user: Hello!', 'assistant: Hi there! How can I help?', 'user: Tell me a joke.'],
  ],
  [
    'defSystem joins its parts with labels',
    (prompt) => {
      prompt.defSystem('role', 'You are a helpful assistant.');
      prompt.defSystem('guidelines', 'Always be polite and professional.');
      prompt.$`Hi.`;
    },
    'role:\nYou are a helpful assistant.\nguidelines:\nAlways be polite and professional.',
    ['user: Hi.'],
  ],
  [
    'def defines a variable and returns a reference to it',
    (prompt) => {
      const userNameRef = prompt.def('USER_NAME', 'John Doe');
      const contextRef = prompt.def('CONTEXT', 'This is a customer support conversation');

      // Use the returned reference in prompts
      prompt.$`Please help ${userNameRef} with their question. Context: ${contextRef}`;
    },
    `${variables}<USER_NAME>John Doe</USER_NAME>
<CONTEXT>This is a customer support conversation</CONTEXT>`,
    ['user: Please help <USER_NAME> with their question. Context: <CONTEXT>'],
  ],
  [
    'defData defines data as YAML',
    (prompt) => {
      const userData = prompt.defData('USER_DATA', {
        name: 'John Doe',
        age: 30,
        preferences: ['coding', 'reading'],
      });

      prompt.$`Analyze the following user data: ${userData}`;
    },
    `${variables}<USER_DATA>
name: John Doe
age: 30
preferences:
  - coding
  - reading
</USER_DATA>`,
    ['user: Analyze the following user data: <USER_DATA>'],
  ],
  [
    '$ adds a user message, without the indentation of the source',
    (prompt) => {
      const userQuestion = 'Why is the sky blue?\nAnd the sea?';
      // Adds a user message to the conversation
      prompt.$`
        Please help John Doe with their question:
        ${userQuestion}
      `;
    },
    undefined,
    ['user: Please help John Doe with their question:\nWhy is the sky blue?\nAnd the sea?'],
  ],
])('%s', async (_what, define, system, messages) => {
  const { sent } = await play(define, ['Sure.']);
  expect(sent).toEqual([{ ...(system === undefined ? {} : { system }), messages, tools: [] }]);
});

test('all definitions together make one call of streamText', async () => {
  const { model, sent, state, result } = await play(
    (prompt) => {
      prompt.def('A', '1');
      prompt.defSystem('role', 'Helper.');
      prompt.defMessage('user', 'First.');
      prompt.defMessage('assistant', 'Second.');
      prompt.defTool('look', '', z.object({}), () => 'seen');
      prompt.defAgent('ask', '', z.object({}), (_args, own) => own.$`Well?`);
      prompt.defHook(() => ({ temperature: 0.1 }));
      prompt.defTaskList([{ task: 'Look around' }]);
      prompt.$`Third.`;
    },
    [[call('look'), call('finishTask', { result: 'seen' })], 'Done.'],
  );
  expect(await result.steps).toHaveLength(2);
  expect(model.calls.map(({ temperature }) => temperature)).toEqual([0.1, 0.1]);
  expect(state.status).toBe('done');
  expect(transcript(sent)).toMatchInlineSnapshot(`
    "--- call 1
    system: Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

    <A>1</A>

    role:
    Helper.
    tools: look, ask, startTask, finishTask
    user: First.
    assistant: Second.
    user: Third.
    user: [Task 1/1] Look around
    --- call 2
    3 messages as before
    user: Completed tasks:
    1. Look around → seen

    All tasks are completed. Give your final answer.
    assistant calls look {}
    assistant calls finishTask {"result":"seen"}
    look answers seen
    finishTask answers ✓ All tasks completed successfully! The task list is complete."
  `);
});
