import { expect, good, test } from './sandbox-support.ts';

test.describe('errors of a script', () => {
  const places = [
    [
      'thrown in the prompt function',
      'export default (prompt) => {\n  const a: any = {};\n  a.b.c();\n};',
      3,
      "reading 'c'",
    ],
    [
      'thrown after an await',
      'export default async () => {\n  await null;\n\n  throw new RangeError("late");\n};',
      4,
      'late',
    ],
    [
      'thrown at the top',
      'const n: number = 1;\nthrow new Error(`n is ${n}`);\nexport default () => {};',
      2,
      'n is 1',
    ],
    [
      'syntax that the type stripper cannot parse',
      'export default (prompt) => {\n  let a = 1;\n  let a = 2;\n};',
      3,
      'already been declared',
    ],
    ['syntax', 'export default (prompt) => {\n  prompt.$`Hi`;\n  const b = ;\n};', 3, 'Unexpected token'],
    [
      'a mistake in a definition',
      'export default (prompt) => {\n\n  prompt.defTool("no name", "", {}, () => 1);\n};',
      3,
      "cannot be a tool's name",
    ],
    [
      'an import that the sandbox does not have',
      'const a = 1;\nimport _ from "lodash";\nexport default () => a;',
      2,
      'Cannot import "lodash"',
    ],
    ['no default export', 'export const a = 1;', 1, 'has no default export'],
  ] as const;
  test('are shown at their line', async ({ page, playground }) => {
    await playground.open(good);
    for (const [what, script, line, words] of places) {
      await test.step(what, async () => {
        await playground.replace(script);
        await playground.run();
        await playground.ended('error');
        const error = page.getByTestId('run-error');
        await expect(error).toContainText(words);
        await expect(error.getByRole('button', { name: `Go to line ${line}`, exact: true })).toBeVisible();
      });
    }
  });
});
