// The prompt language: each example as it is promised, and what the model is sent for it.
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { transcript } from '../sent-requests.ts';
import { play } from './run-scripted.ts';
import { call } from '../support.ts';

describe('defMessage', () => {
  test('adds messages of the user and of the assistant', async () => {
    const { sent } = await play(
      (prompt) => {
        prompt.defMessage('user', 'Hello!');
        prompt.defMessage('assistant', 'Hi there! How can I help?');
        prompt.defMessage('user', 'Tell me a joke.');
      },
      ['Knock, knock.'],
    );
    expect(sent).toEqual([
      {
        messages: ['user: Hello!', 'assistant: Hi there! How can I help?', 'user: Tell me a joke.'],
        tools: [],
      },
    ]);
  });

  test('a system message is refused, with what to type', async () => {
    await expect(
      play((prompt) => prompt.defMessage('system' as 'user', 'Be nice.'), []),
    ).rejects.toMatchObject({
      code: 'invalid_definition',
      message: expect.stringContaining('prompt.defSystem') as string,
    });
  });
});

test('defSystem joins its parts with labels', async () => {
  const { sent } = await play(
    (prompt) => {
      prompt.defSystem('role', 'You are a helpful assistant.');
      prompt.defSystem('guidelines', 'Always be polite and professional.');
      prompt.$`Hi.`;
    },
    ['Hello.'],
  );
  expect(sent[0]!.system).toBe(
    'role:\nYou are a helpful assistant.\nguidelines:\nAlways be polite and professional.',
  );
});

test('def defines a variable and returns a reference to it', async () => {
  const { sent } = await play(
    (prompt) => {
      const userNameRef = prompt.def('USER_NAME', 'John Doe');
      const contextRef = prompt.def('CONTEXT', 'This is a customer support conversation');

      // Use the returned reference in prompts
      prompt.$`Please help ${userNameRef} with their question. Context: ${contextRef}`;
    },
    ['Sure.'],
  );
  expect(sent).toEqual([
    {
      system: `Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

<USER_NAME>John Doe</USER_NAME>
<CONTEXT>This is a customer support conversation</CONTEXT>`,
      messages: ['user: Please help <USER_NAME> with their question. Context: <CONTEXT>'],
      tools: [],
    },
  ]);
});

test('defData defines data as YAML', async () => {
  const { sent } = await play(
    (prompt) => {
      const userData = prompt.defData('USER_DATA', {
        name: 'John Doe',
        age: 30,
        preferences: ['coding', 'reading'],
      });

      prompt.$`Analyze the following user data: ${userData}`;
    },
    ['Done.'],
  );
  expect(sent).toEqual([
    {
      system: `Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.

<USER_DATA>
name: John Doe
age: 30
preferences:
  - coding
  - reading
</USER_DATA>`,
      messages: ['user: Analyze the following user data: <USER_DATA>'],
      tools: [],
    },
  ]);
});

test('$ adds a user message, without the indentation of the source', async () => {
  const { sent } = await play(
    (prompt) => {
      const userName = prompt.def('USER_NAME', 'John Doe');
      const userQuestion = 'Why is the sky blue?\nAnd the sea?';
      // Adds a user message to the conversation
      const nothing: void = prompt.$`
        Please help ${userName} with their question:
        ${userQuestion}
      `;
      expect(nothing).toBeUndefined();
    },
    ['Light.'],
  );
  expect(sent[0]!.messages).toEqual([
    'user: Please help <USER_NAME> with their question:\nWhy is the sky blue?\nAnd the sea?',
  ]);
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
