import { expect, test } from 'vitest';
import { redactEvents, withoutKeys } from '../../src/model/redact-events.ts';

const key = 'key-"with"-quotes-1';

test('a key that a server has put into an event is removed everywhere in it', async () => {
  async function* events() {
    yield { type: 'error', message: `bad key ${key}`, details: [{ [key]: key }] };
    yield { type: 'text', delta: 'hello' };
  }
  const seen = [];
  for await (const event of redactEvents(events(), [key, 'none'])) seen.push(event);
  expect(seen).toEqual([
    { type: 'error', message: 'bad key [redacted]', details: [{ '[redacted]': '[redacted]' }] },
    { type: 'text', delta: 'hello' },
  ]);
});

test('a value without a key is the same object, and a short placeholder key removes nothing', () => {
  const value = { text: 'none of it' };
  expect(withoutKeys(value, ['none', key])).toBe(value);
});
