import { expect, test } from 'vitest';
import { examples } from '../../src/examples/index.ts';
import { findDefinitions } from '../../src/sandbox/script/find-definitions.ts';

/** Each definition as `first-last kind agent: name`. */
function listOf(source: string): string[] {
  return findDefinitions(source).definitions.map(
    ({ of, name, agent, line, lastLine }) =>
      `${line}${lastLine === line ? '' : `-${lastLine}`} ${of} ${agent === undefined ? '' : `${agent}: `}${name}`,
  );
}

test.each(examples)('what $id defines', ({ source }) => {
  expect([findDefinitions(source).promptLine, ...listOf(source)]).toMatchSnapshot();
});
