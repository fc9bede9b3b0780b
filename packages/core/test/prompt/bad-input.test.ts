import { tool } from '@cueline/core';
import { Prompt } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { refusalOf } from '../support/refusal.ts';

const none = z.object({});
const part = tool('read', 'Reads', none, () => 'text');

describe('The options of a composite tool', () => {
  test.each([
    'needsApproval',
    'effect',
    'beforeCall',
    'onSuccess',
    'onError',
    'providerOptions',
    'timeoutMS',
  ])('%s belongs to a part', (name) => {
    expect(
      refusalOf(() => new Prompt().defTool('file', 'Files', [part], { [name]: undefined } as never)),
    ).toBe(
      `invalid_definition: Tool file is composed of tools, so it cannot have ${name}, only repeatable, loopGuard and timeoutMs. Give ${name} to its parts: tool('read', '…', z.object({ … }), async (args) => …, { ${name}: … }).`,
    );
  });

  test.each<[string, unknown]>([
    ['a function', () => 1],
    ['null', null],
  ])('cannot be %s', (_what, options) => {
    expect(refusalOf(() => new Prompt().defTool('file', 'Files', [part], options as never))).toBe(
      'invalid_definition: Tool file is composed of tools, so after them it takes only options, such as { timeoutMs: 5000 }.',
    );
  });

  test('can be repeatable and timeoutMs', () => {
    const prompt = new Prompt();
    prompt.defTool('file', 'Files', [part], { repeatable: true, timeoutMs: 5 });
    expect(prompt.definitions.tools.get('file')).toMatchObject({ rules: { repeatable: true, timeoutMs: 5 } });
  });
});

describe('Invalid definitions', () => {
  const deep: Record<string, unknown> = {};
  let end = deep;
  for (let level = 0; level < 20_000; level++) end = end['in'] = {} as Record<string, unknown>;
  const throwing = {
    get value(): string {
      throw new Error('no luck');
    },
  };
  const city = z.string();
  const run = (): number => 1;

  test.each<[string, (prompt: Prompt) => unknown, string]>([
    [
      'schemas without z.object',
      (p) => p.defTool('t', 'd', { city, day: city } as never, run),
      'The schema of t is an object of schemas. Write z.object({ city: … }).',
    ],
    [
      'schemas without z.object, of an agent',
      (p) => p.defAgent('a', 'd', { city } as never, () => {}),
      'The schema of a is an object of schemas. Write z.object({ city: … }).',
    ],
    ...[{ city: 'string' }, { city: { type: 'string' } }].map(
      (schema): [string, (prompt: Prompt) => unknown, string] => [
        `the types of arguments, ${JSON.stringify(schema)}`,
        (p) => p.defTool('t', 'd', schema, run),
        'The schema of t is an object of schemas. Write z.object({ city: … }).',
      ],
    ),
    [
      'the schema of a string',
      (p) => p.defTool('t', 'd', city, run),
      "The schema of tool t has the type string, but a tool's arguments have names. Write z.object({ … }).",
    ],
    [
      'JSON Schema of a list',
      (p) => p.defTool('t', 'd', { type: 'array', items: {} }, run),
      "The schema of tool t has the type array, but a tool's arguments have names. Write z.object({ … }).",
    ],
    [
      'a part’s schema of a number',
      (p) => p.defTool('t', 'd', [tool('n', 'd', z.number(), run)]),
      "The schema of tool n has the type number, but a tool's arguments have names. Write z.object({ … }).",
    ],
    [
      'a tool without a name',
      (p) => p.defTool(undefined as never, 'd', none, run),
      "A tool's name is undefined. Write a string, such as 'getWeather'.",
    ],
    [
      'a tool without a description',
      (p) => p.defTool('t', undefined as never, none, run),
      'The description of tool t is undefined. Write a string that describes what it does.',
    ],
    [
      'a composite tool without a description',
      (p) => p.defTool('t', undefined as never, [part]),
      'The description of tool t is undefined. Write a string that describes what it does.',
    ],
    [
      'an agent whose description is its schema',
      (p) => p.defAgent('a', none as never, (() => {}) as never, undefined as never),
      'The description of tool a is an object. Write a string that describes what it does.',
    ],
    [
      'null for options',
      (p) => p.defTool('t', 'd', none, run, null as never),
      'The options of tool t are null. Write { … }, or leave them out.',
    ],
    ...(
      [
        [{ effect: 'delete' }, "The effect of tool t is \"delete\". Use 'read', 'write' or 'external'."],
        [{ timeoutMs: 0 }, 'timeoutMs of tool t is 0. Give milliseconds above 0, such as 5000.'],
        [{ onError: 'ignore' }, 'onError of tool t is not a function.'],
      ] as const
    ).map(([options, message]): [string, (prompt: Prompt) => unknown, string] => [
      `the options ${JSON.stringify(options)} of a tool`,
      (p) => p.defTool('t', 'd', none, run, options as never),
      message,
    ]),
    [
      'one plugin instead of a list',
      (p) => p.defAgent('a', 'd', none, () => {}, { plugins: {} as never }),
      'plugins takes a list. Write plugins: [memory].',
    ],
    [
      'a system part without a text',
      (p) => p.defSystem('role', undefined as never),
      "prompt.defSystem('role', …) takes a string, but got undefined.",
    ],
    [
      'a system part whose name is not a string',
      (p) => p.defSystem(undefined as never, 'x'),
      '"undefined" cannot name a part of the system prompt. Use one line of text, such as \'role\'.',
    ],
    [
      'null for the options of a system part',
      (p) => p.defSystem('role', 'x', null as never),
      'prompt.defSystem takes an object, but got null. Write { … }.',
    ],
    [
      'a string instead of a template',
      (p) => p.$('hi' as never),
      "prompt.$ is a template tag, so write it without parentheses: prompt.$`…`. To add a string, use prompt.defMessage('user', text).",
    ],
    [
      'a second task list',
      (p) => [p.defTaskList([{ task: 'A' }]), p.defDynamicTaskList()],
      'The prompt already has a task list. Put all tasks into one list.',
    ],
    [
      'a task list without tasks',
      (p) => p.defTaskList([]),
      "A task list needs at least one task: prompt.defTaskList([{ task: 'Add 5 and 3', validation: (result) => … }]). If the model should write the tasks, use prompt.defDynamicTaskList().",
    ],
    [
      'a task without a text',
      (p) => p.defTaskList([{ task: ' ' }]),
      "tasks[0] has no text. Write { task: 'Add 5 and 3' }.",
    ],
    [
      'a validation that is not a function',
      (p) => p.defTaskList([{ task: 'A', validation: true as never }]),
      'tasks[0].validation is not a function.',
    ],
    [
      'a number of reminders below 0',
      (p) => p.defTaskList([{ task: 'A' }], { maxNudges: -1 }),
      'maxNudges is -1. Give a whole number of at least 0; 0 means that the model is not reminded.',
    ],
    [
      'a task’s misspelt validation',
      (p) => p.defTaskList([{ task: 'A' }, { task: 'B', validate: run } as never]),
      'tasks[1] has no "validate". Did you mean validation?',
    ],
    [
      'a task that is a text',
      (p) => p.defTaskList(['Add'] as never),
      "tasks[0] is 'Add'. Write { task: 'Add' }.",
    ],
    [
      'a task that is null',
      (p) => p.defTaskList([null] as never),
      "tasks[0] is null. Write { task: 'Add 5 and 3' }.",
    ],
    [
      'a misspelt option of a task list',
      (p) => p.defTaskList([{ task: 'A' }], { maxAttempt: 1 } as never),
      'prompt.defTaskList has no "maxAttempt". Did you mean maxAttempts?',
    ],
    [
      'null for the options of a task list',
      (p) => p.defTaskList([{ task: 'A' }], null as never),
      'prompt.defTaskList takes an object, but got null. Write { … }.',
    ],
    [
      'maxAttempts of a list without validations',
      (p) => p.defDynamicTaskList({ maxAttempts: 1 } as never),
      'prompt.defDynamicTaskList has no "maxAttempts". There are: maxNudges.',
    ],
    [
      'a variable without a name',
      (p) => p.def(undefined as never, 'x'),
      '"undefined" cannot be a variable\'s name, because it becomes a tag. Use letters, digits, _ . - and begin with a letter, such as USER_NAME.',
    ],
    [
      'data with a function in it',
      (p) => p.defData('A', { list: [{ run }] }),
      'The data of A has a function at list.0.run, which cannot be written as YAML. Leave it out.',
    ],
    [
      'data with a symbol in it',
      (p) => p.defData('A', { is: Symbol('x') }),
      'The data of A has a symbol at is, which cannot be written as YAML. Leave it out.',
    ],
    [
      'data that throws',
      (p) => p.defData('A', throwing),
      'The data of A cannot be written as YAML (no luck). Give plain objects, arrays, strings, numbers.',
    ],
    [
      'data that is 20,000 levels deep',
      (p) => p.defData('A', deep),
      'The data of A is more than 100 levels deep. Give the part of it that the model needs.',
    ],
  ])('%s', (_what, act, message) => {
    expect(refusalOf(() => act(new Prompt()))).toBe(
      `${message.startsWith('plugins') ? 'invalid_options' : 'invalid_definition'}: ${message}`,
    );
  });

  test('data that is 100 levels deep is fine', () => {
    const data = JSON.parse(`${'{"in":'.repeat(99)}{}${'}'.repeat(99)}`) as object;
    expect(new Prompt().defData('A', data)).toBe('<A>');
  });
});
