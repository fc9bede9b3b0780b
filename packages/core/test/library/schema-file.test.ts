import { readFileSync, writeFileSync } from 'node:fs';
import process from 'node:process';
import { fileURLToPath } from 'node:url';
// The JSON Schema of prompt files, which gives editors completion.
import { promptFileSchema } from '@cueline/core/library';
import { expect, test } from 'vitest';

const file = fileURLToPath(new URL('../../prompts.schema.json', import.meta.url));

test('the schema file in the package is up to date', () => {
  const text = `${JSON.stringify(promptFileSchema(), null, 2)}\n`;
  if (process.env['UPDATE_SCHEMA'] !== undefined) writeFileSync(file, text);
  expect(JSON.parse(readFileSync(file, 'utf8')), 'run this test with UPDATE_SCHEMA=1').toEqual(
    JSON.parse(text),
  );
});
