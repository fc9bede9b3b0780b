import { describe, expect, test } from 'vitest';
import { compileScript } from '../../src/sandbox/script/compile-script.ts';
import { findDefinitions } from '../../src/sandbox/script/find-definitions.ts';
import { ScriptError } from '../../src/sandbox/script/script-error.ts';

function refusal(source: string): Pick<ScriptError, 'message' | 'line' | 'column'> {
  try {
    compileScript(source);
  } catch (error) {
    if (error instanceof ScriptError) return error;
    throw error;
  }
  throw new Error('The script was accepted.');
}

/** Evaluates compiled code as the worker does. */
async function evaluate(source: string): Promise<{ exports: Record<string, unknown>; asked: string[] }> {
  const { code } = compileScript(source);
  const module = (await import(`data:text/javascript,${encodeURIComponent(code)}`)) as {
    default(require: (name: string) => unknown, exports: object): Promise<void>;
  };
  const exports: Record<string, unknown> = {};
  const asked: string[] = [];
  await module.default((name) => {
    asked.push(name);
    return { z: 'zod itself', definePrompt: (name: string) => `prompt ${name}` };
  }, exports);
  return { exports, asked };
}

describe('a script may contain', () => {
  test('types, enums, satisfies, imports under other names, and top-level await', async () => {
    const { exports, asked } = await evaluate(`
      import { definePrompt as define, type Prompt } from '@cueline/core';
      import { z } from 'zod';
      import type { ScriptedTurn } from '@cueline/core/testing';
      type Colour = 'red' | 'green';
      enum Size { Small = 1, Large }
      const chosen = (await Promise.resolve('red' as const)) satisfies Colour;
      function first<const T>(list: readonly T[]): T { return list[0]!; }
      export const all = [chosen, first([Size.Large]), z];
      export default define('named');
    `);
    expect(exports).toEqual({ all: ['red', 2, 'zod itself'], default: 'prompt named' });
    expect(asked, 'an import of types only is removed').toEqual(['@cueline/core', 'zod']);
  });

  test('a default export under a name', async () => {
    const { exports } = await evaluate('const prompt = () => {};\nexport { prompt as default };');
    expect(exports['default']).toBeTypeOf('function');
  });

  test('a comment on the last line that does not hide the code that is added after the script', async () => {
    const { exports } = await evaluate('export default 1 // the end');
    expect(exports['default']).toBe(1);
  });
});

describe('imports', () => {
  test.each([
    ["import fs from 'node:fs';\nexport default 1;", 'node:fs', 1, 16],
    ["\n\nimport 'https://evil.example/x.js';\nexport default 1;", 'https://evil.example/x.js', 3, 8],
    ["export * from 'lodash';\nexport default 1;", 'lodash', 1, 15],
    ["export default 1;\nawait import('./other.ts');", './other.ts', 2, 14],
    ["import type { A } from 'react';\nexport default 1;", 'react', 1, 24],
  ])('%j is refused at its place', (source, name, line, column) => {
    const error = refusal(source);
    expect(error.message).toContain(`Cannot import "${name}"`);
    expect(error.message).toContain(
      '@cueline/core, @cueline/core/agents, @cueline/core/inspect, @cueline/core/library, @cueline/core/plugins, @cueline/core/testing, zod',
    );
    expect(error).toMatchObject({ line, column });
  });

  test('text that only looks like an export is left alone', () => {
    const source =
      'const a = `import x from "lodash"`;\nconst b = "from"; // import y from "z"\nexport default a + b;';
    expect(compileScript(source).code).toContain('import x from "lodash"');
  });
});

describe('scripts that cannot run', () => {
  test('without a default export get a message with an example', () => {
    const error = refusal("import { z } from 'zod';\nexport const a = z;\n\n");
    expect(error.message).toContain('export default definePrompt(');
    expect(error.line).toBe(2);
  });

  test('include scripts with a namespace, which type stripping would remove without an error', () => {
    expect(refusal('namespace A { export const b = 1 }\nexport default A;')).toMatchObject({ line: 1 });
    expect(compileScript('const o = { namespace: 1 };\nexport default o.namespace;')).toBeDefined();
  });

  test.each([
    ['export default (prompt) => {\n  const y = ;\n}', 2, 13],
    ['export default (prompt) => {\n  const a = [1].map((x) => {\n    return x +;\n  });\n}', 3, 15],
    ['foo((a: string): string => {\n  let 1;\n});', 2, 7],
    ['export default async (prompt) => {\n  if (a {', 2, 9],
    ['export default "abc;\n', 1, 16],
  ])('%j: report the position of the error, even inside arrow functions', (source, line, column) => {
    expect(refusal(source)).toMatchObject({ line, column });
  });
});

describe('a script whose parse would take hours', () => {
  test.each<[string, string]>([
    ['casts', `export default ${'<a>('.repeat(30)}1${')'.repeat(30)}`],
    ['arrow functions in conditions', `export default ${'a?(b):c=>'.repeat(30)}1`],
    ['arrow functions in defaults', `export default ${'(a='.repeat(30)}1${'):b=>1'.repeat(30)}`],
  ])('is refused: nested %s', (_what, source) => {
    expect(refusal(`// first\n${source}`)).toMatchObject({
      message: expect.stringContaining('takes too long to parse'),
      line: 2,
    });
    expect(findDefinitions(source)).toEqual({ definitions: [] });
  });

  test('is not one with many nested callbacks, or with many lines', () => {
    const callbacks = `${'f(async (a: A): Promise<B> => { g((b) => a ? (b) : (c) => {'.repeat(40)}${'}); });'.repeat(40)}`;
    expect(compileScript(`${callbacks}\nexport default 1;`).defaultExport).toEqual({ line: 2, column: 1 });
    const lines = 'f();\n'.repeat(2_000);
    expect(compileScript(`${lines}export default 1;`).defaultExport).toEqual({ line: 2_001, column: 1 });
  });
});

test('a position in the compiled code leads back to the position in the script, past types and rewritten imports', () => {
  const source = [
    "import { z } from 'zod'; const first = z.nope;",
    'interface Gone {',
    '  a: string;',
    '}',
    'export default (prompt: unknown, rest: Array<Gone>): void => { const x: string = boom(z); };',
  ].join('\n');
  const { code, locate, defaultExport } = compileScript(source);
  const lines = code.split('\n');
  const find = (text: string): { line: number; column: number } => {
    const line = lines.findIndex((each) => each.includes(text));
    return { line: line + 1, column: (lines[line] as string).indexOf(text) + 1 };
  };
  expect(locate(find('first ='))).toEqual({ line: 1, column: source.indexOf('first =') + 1 });
  expect(locate(find('boom('))).toEqual({
    line: 5,
    column: (source.split('\n')[4] as string).indexOf('boom(') + 1,
  });
  expect(locate({ line: 5 })).toEqual({ line: 5 });
  expect(locate({ line: 99, column: 1 }), 'behind the end').toMatchObject({ line: 5 });
  expect(defaultExport).toEqual({ line: 5, column: 1 });
});
