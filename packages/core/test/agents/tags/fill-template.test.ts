import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fillTemplate } from '../../../src/agents/tags/fill-template.ts';
import { startCpuTime } from '../../support/cpu-time.ts';

test('only the named placeholders are replaced, each time they occur', () => {
  expect(fillTemplate('{a} and {b}, {a}: {"json": {c}}', { a: '1', b: '2' })).toBe(
    '1 and 2, 1: {"json": {c}}',
  );
});

test('a value is inserted as plain text, whatever it looks like', () => {
  expect(fillTemplate('<{a}|{b}>', { a: '{b}', b: "$& $1 $'" })).toBe("<{b}|$& $1 $'>");
  expect(fillTemplate('{constructor}{__proto__}', {})).toBe('{constructor}{__proto__}');
});

test('the text around a placeholder stays unchanged, for any texts', () => {
  const text = fc.string({ unit: fc.constantFrom('{', '}', 'x', '$', '&', ' ', '"') });
  fc.assert(
    fc.property(text, text, text, (before, value, after) => {
      expect(fillTemplate(`${before}{name}${after}`, { name: value })).toBe(`${before}${value}${after}`);
    }),
  );
});

test('a long text of braces is filled quickly', () => {
  const hostile = '{a'.repeat(500_000);
  const cpuTime = startCpuTime();
  expect(fillTemplate(hostile, { b: 'x' })).toBe(hostile);
  expect(cpuTime()).toBeLessThan(2_000);
});
