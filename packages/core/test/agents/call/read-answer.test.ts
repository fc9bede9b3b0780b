import { tags } from '@cueline/core/agents';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { checkAgent } from '../../../src/agents/call/check-agent.ts';
import { createOutputReader } from '../../../src/agents/call/read-answer.ts';

test('without an output, an answer is its text', async () => {
  const reader = createOutputReader('plain', undefined);
  expect(Object.keys(reader)).toEqual(['parse']);
  expect(await reader.parse(' as it is ')).toBe(' as it is ');
});

test('a schema asks for JSON and validates the answer', async () => {
  const reader = createOutputReader('count', z.object({ n: z.coerce.number() }));
  expect(await reader.format?.responseFormat).toMatchObject({ type: 'json', schema: { type: 'object' } });
  expect(await reader.parse('```json\n{"n":"4"}\n```')).toEqual({ n: 4 });
  await expect(reader.parse('four')).rejects.toThrow('it is not JSON');
  await expect(reader.parse('{"n":"x"}')).rejects.toThrow(/^n: .*expected number/);
});

test('the system prompt explains the tags', async () => {
  const reader = createOutputReader('tagged', tags(['answer']));
  expect(reader.systemLine).toBe('Write your answer in these tags: <answer>…</answer>.');
  expect(reader.format).toBeUndefined();
  expect(await reader.parse('so: <answer>4</answer>')).toEqual({ answer: '4' });
  await expect(reader.parse('4')).rejects.toThrow('<answer> is missing');
});

test('a function may read the answer in any way, also asynchronously', async () => {
  const reader = createOutputReader('lines', async (text) => text.split('\n'));
  expect(await reader.parse('a\nb')).toEqual(['a', 'b']);
  const picky = createOutputReader('picky', () => {
    throw new Error('say please');
  });
  await expect(picky.parse('a')).rejects.toThrow('say please');
});

test.each([[5], ['json'], [[]], [null]])('an output cannot be %j', (config) => {
  expect(() => checkAgent({ name: 'it', instructions: 'Talk.', output: config as never })).toThrow(
    'The output of agent "it" must be a schema, tags([\'answer\']) or a function that reads the text.',
  );
});

test('a schema that JSON Schema cannot express is reported by name', () => {
  expect(() => createOutputReader('dater', z.object({ day: z.date() }))).toThrow(
    expect.objectContaining({
      code: 'invalid_definition',
      message: expect.stringMatching(
        /^The output schema of agent "dater" cannot be sent to a model: Date cannot be represented in JSON Schema\. /,
      ) as string,
    }),
  );
});
