import type { RunEvent } from '@cueline/core';
import { createEventCounter, defaultEventLimits, encodeLog, decodeLog } from '@cueline/core/link';
import { expect, test } from 'vitest';

const types = [
  'run-start',
  'run-resume',
  'run-end',
  'variable-set',
  'variable-unset',
  'step-start',
  'step-end',
  'text-start',
  'text-delta',
  'text-end',
  'reasoning-start',
  'reasoning-delta',
  'reasoning-end',
  'tool-input-start',
  'tool-input-delta',
  'tool-input-end',
  'tool-start',
  'tool-preliminary',
  'tool-end',
  'tool-error',
  'approval-automatic',
  'sub-call-start',
  'sub-call-end',
  'agent-start',
  'agent-end',
  'task-add',
  'task-update',
  'task-move',
  'task-remove',
  'approval-request',
  'client-tool-claim',
  'approval-response',
  'approval-withdraw',
  'steer',
  'source',
  'custom',
  'file',
  'warning',
  'retry',
] as const satisfies readonly RunEvent['type'][];

const event = (type: string, fields: object = {}): RunEvent => ({ seq: 0, t: 0, type, ...fields }) as never;
const nested = (depth: number): unknown => {
  let value: unknown = 0;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
};

test.each(types)('%s events are counted', (type) => {
  const count = createEventCounter({ entries: 2, variables: 2, changes: 2, deltas: 2 });
  expect([count(event(type)), count(event(type))]).toEqual([undefined, undefined]);
  expect(count(event(type))).toMatch(/^more than 2 [a-z ]+$/);
});

// made once: they are large
const largeError = { code: 'x', message: 'x'.repeat(7_000_000) };
const largeText = 'x'.repeat(8_000_000);
const manyValues = Array.from({ length: 100_001 }, () => 0);
const deep = nested(100_000);

test.each(types)('%s events are measured', (type) => {
  const over = (fields: object): string | undefined => createEventCounter()(event(type, fields));
  expect(over({ toolCallId: 'x'.repeat(10_000), data: nested(99) })).toBeUndefined();
  expect(over({ toolCallId: 'x'.repeat(10_001) })).toBe('a name or id of more than 10,000 characters');
  expect(over({ error: 'x'.repeat(200_001) })).toBe('a message of more than 200,000 characters');
  expect(over({ error: largeError })).toBe('a message of more than 200,000 characters');
  expect(over({ data: largeText })).toBe('an event of more than 8,000,000 characters');
  expect(over({ data: manyValues })).toBe('an event of more than 100,000 values');
  expect(over({ data: deep })).toBe('values more than 100 levels deep');
});

test('an event of an unknown type is refused', () => {
  for (const type of ['nothing', '__proto__', 'constructor']) {
    expect(createEventCounter()(event(type))).toBe('an event of an unknown type');
  }
});

test('20,000 variables are allowed, and a stored log with one more is refused with a clear message', () => {
  const log = (count: number): string =>
    encodeLog(
      Array.from({ length: count }, (_, seq) => ({
        seq,
        t: 0,
        type: 'variable-set',
        name: `V${seq}`,
        kind: 'text',
        value: '',
      })),
    );
  expect(decodeLog(log(defaultEventLimits.variables))).toHaveLength(20_000);
  expect(() => decodeLog(log(20_001))).toThrow('This log has more than 20,000 variables and was not opened.');
});
