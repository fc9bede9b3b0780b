import { expect, test } from 'vitest';
import { redactEvents, withoutKeys } from '../../src/state/redact-events.ts';

const key = 'key-"with"-quotes-1';

test('a key is nowhere in an event that a server has put it into', async () => {
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

test('a value without a key is the same object, and a short placeholder damages nothing', () => {
  const value = { text: 'none of it' };
  expect(withoutKeys(value, ['none', key])).toBe(value);
});
