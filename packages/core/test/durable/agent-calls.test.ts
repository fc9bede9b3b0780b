import { defineAgent } from '@cueline/core/agents';
import { expect, test } from 'vitest';
import { createStore, planned, stateOf, workToEnd } from '../support/durable-runs.ts';

test('invalid answers are counted across processes', async () => {
  const definition = defineAgent({
    name: 'number',
    instructions: 'Answer with a number.',
    maxExceptionRetries: 2,
    output(text) {
      if (!/^\d+$/.test(text)) throw new Error('It is not a number.');
      return Number(text);
    },
  });
  const store = createStore();
  const worker = { store, definition: definition as never, input: 'How many?' };
  expect(await workToEnd({ ...worker, model: () => planned(['one', 'two', '3']) })).toBe(3);
  expect(stateOf(store)).toMatchObject({ status: 'done', result: 3 });
  const other = createStore();
  const model = () => planned(['one', 'two', 'three', '4']);
  await workToEnd({ ...worker, store: other, model });
  expect(stateOf(other)).toMatchObject({ status: 'error', error: { code: 'parse_failed' } });
  expect(stateOf(other).steps).toHaveLength(3);
});
