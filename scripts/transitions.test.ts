import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { transitionTable } from './transitions.mjs';

const page = fileURLToPath(new URL('../docs/agent-calls.md', import.meta.url));
const marked = /<!-- transitions -->\s*([\s\S]*?)\s*<!-- \/transitions -->/;

test('docs/agent-calls.md has the table that an agent call goes by', () => {
  const shown = marked.exec(readFileSync(page, 'utf8'))?.[1];
  expect(shown, 'run: pnpm exec node --conditions=@cueline/source scripts/transitions.mjs').toBe(
    transitionTable(),
  );
});
