import { CuelineError, isPromptDefinition, tool } from '@cueline/core';
import { defineAgent } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';

const good = { name: 'it', instructions: 'Talk.' };

test('an agent is inert data and can be used as a prompt', () => {
  const look = tool('look', 'Look', z.object({}), () => 1);
  const agent = defineAgent({ ...good, tools: [look], model: 'fast' });
  expect(isPromptDefinition(agent)).toBe(true);
  expect(agent).toMatchObject({ kind: 'prompt', name: 'it', model: 'fast', tools: [look] });
});

test.each<[object | undefined, string]>([
  [undefined, 'An agent needs a name'],
  [{ ...good, name: ' ' }, 'An agent needs a name'],
  [{ name: 'it' }, 'Agent "it" needs instructions'],
  [{ ...good, tools: [{ name: 'look' }] }, 'The tools of agent "it" must be a list of what tool(…) returns'],
  [
    { ...good, tools: { look: tool('look', '', z.object({}), () => 1) } },
    'The tools of agent "it" must be a list',
  ],
  ...['json', 5, [], null].map((output): [object, string] => [
    { ...good, output },
    'The output of agent "it" must be a schema, tags([\'answer\']) or a function that reads the text.',
  ]),
  [
    { ...good, output: z.object({ day: z.date() }) },
    'The schema of agent "it" cannot be sent to a model: Date cannot be represented in JSON Schema. ',
  ],
  [{ ...good, onException: ' ' }, 'onException of agent "it" is \' \'. Write a string'],
  [{ ...good, onInterrupt: 5 }, 'onInterrupt of agent "it" is 5. Write a string'],
  [{ ...good, maxInterrupts: -1 }, 'maxInterrupts of agent "it" is -1. Give a whole number of at least 0.'],
  [{ ...good, maxExceptionRetries: Infinity }, 'maxExceptionRetries of agent "it" is Infinity.'],
  [{ ...good, maxInterupts: 1 }, 'Agent "it" has no "maxInterupts". Did you mean maxInterrupts?'],
  [{ ...good, temperature: 1 }, 'temperature is an option: defineAgent({ options: { temperature: … } }).'],
  [{ ...good, options: 5 }, 'The options of agent "it" are 5. Write { … }, or leave them out.'],
])('%#: %s', async (config, why) => {
  // without a name at once, and all else as the first call begins
  const call = async (): Promise<unknown> =>
    defineAgent(config as never).call('Hello.', { model: scriptedModel([]) });
  const error = await call().catch((thrown: unknown) => thrown);
  expect(CuelineError.isInstance(error) && error.code).toBe('invalid_definition');
  expect((error as Error).message).toContain(why);
});

test('an agent without a name is refused when it is defined', () => {
  expect(() => defineAgent({ instructions: 'Talk.' } as never)).toThrow('An agent needs a name');
});
