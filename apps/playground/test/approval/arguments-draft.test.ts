import { expect, test } from 'vitest';
import * as z from 'zod';
import { draftArguments, isEdited, readArgumentsDraft } from '../../src/approval/arguments-draft.ts';

const schema = z.toJSONSchema(z.object({ to: z.string(), text: z.string(), copies: z.number().optional() }));
const mail = { to: 'Ada', text: 'Noon.' };

test('only what was changed differs from the arguments of the model', () => {
  const args = draftArguments(schema, mail);
  expect(isEdited(args, mail)).toBe(false);
  const changed = { ...args, draft: { to: 'Ada', text: 'Dear Ada,\nnoon.' } };
  expect(isEdited(changed, mail)).toBe(true);
  expect(readArgumentsDraft(changed)).toEqual({ value: { to: 'Ada', text: 'Dear Ada,\nnoon.' } });
  // typed back
  expect(isEdited({ ...changed, draft: { text: 'Noon.', to: 'Ada' } }, mail)).toBe(false);
});

test('the JSON reads as the same arguments, in any order and with any spaces', () => {
  const args = draftArguments(schema, mail, 'json');
  expect(JSON.parse(args.json)).toEqual(mail);
  expect(isEdited({ ...args, json: '{"text":"Noon.",  "to":"Ada"}' }, mail)).toBe(false);
  expect(isEdited({ ...args, json: '{"text":"Noon."}' }, mail)).toBe(true);
});

test('what cannot be read says where and why', () => {
  const args = draftArguments(schema, mail);
  expect(readArgumentsDraft({ ...args, draft: { ...mail, copies: 'two' } })).toEqual({
    problems: new Map([['input.copies', 'Enter a number.']]),
  });
  expect(readArgumentsDraft({ ...args, view: 'json', json: '{' })).toEqual({
    fault: expect.stringContaining('This is not JSON'),
  });
  expect(isEdited({ ...args, view: 'json', json: '{' }, mail)).toBe(true);
});

test('a form that nobody has touched gives the arguments back, although a required one is missing', () => {
  const partial = { to: 'Ada' };
  expect(readArgumentsDraft(draftArguments(schema, partial))).toEqual({ value: partial });
});

test.each([[['a', 'b']], [null], [7]])('%j has no fields', (value) => {
  const { view } = draftArguments(undefined, value);
  expect(view).toBe(typeof value === 'number' ? 'fields' : 'json');
});
