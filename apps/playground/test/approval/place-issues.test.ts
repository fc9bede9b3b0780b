import { expect, test } from 'vitest';
import * as z from 'zod';
import { issuesByField } from '../../src/approval/issues-by-field.ts';
import { toField } from '../../src/input/schema-fields.ts';

const field = toField(
  z.toJSONSchema(
    z.object({
      to: z.email(),
      lines: z.array(z.object({ text: z.string() })),
      extra: z.record(z.string(), z.number()),
    }),
  ),
);

test('each message is at the field that shows the value', () => {
  expect(
    issuesByField(
      'to: Invalid email address; lines.1.text: Too small: a letter at least; extra.a.b: Expected a number',
      field,
    ),
  ).toEqual(
    new Map([
      ['input.to', 'Invalid email address.'],
      ['input.lines[1].text', 'Too small: a letter at least.'],
      ['input.extra', 'a.b: Expected a number.'],
    ]),
  );
});

test('two messages about one field stand together', () => {
  expect(issuesByField('to: Too short; to: No host', field)).toEqual(
    new Map([['input.to', 'Too short. No host.']]),
  );
});

test.each(['Unrecognized key: "cc"', 'cc: Unknown', 'to: Too short; and wrong', 'It costs money.'])(
  '%s names no field',
  (reason) => {
    expect(issuesByField(reason, field)).toBeUndefined();
  },
);
