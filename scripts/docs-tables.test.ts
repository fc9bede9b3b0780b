import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { checkOptions } from '../packages/edge/src/proxy/check-options.ts';
import { readLimits } from '../packages/edge/src/route/read-limits.ts';
import { evalOptions } from '../packages/evals/src/cli/options.ts';

const read = (path: string): string =>
  readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8');
const marked = /<!-- limits -->\s*([\s\S]*?)\s*<!-- \/limits -->/;

/** Writes a default as the page does. */
function shownDefault(name: string, limits: object): string {
  const { [name]: value } = limits as Record<string, number | undefined>;
  if (value === undefined) return '–';
  if (value === Infinity) return 'none';
  if (!name.endsWith('Bytes')) return value.toLocaleString('en');
  return value < 1 << 20 ? `${value / 1024} KiB` : `${value / (1 << 20)} MiB`;
}

test('docs/budgets.md has every limit of a route and of a proxy with its default', () => {
  const route = readLimits({}).own;
  const proxy = checkOptions({
    providers: { openai: { models: ['gpt-4o'] } },
    origins: ['https://app.example'],
    auth: () => ({ subject: 'ada' }),
  }).limits;
  const names = [...new Set([...Object.keys(route), ...Object.keys(proxy)])];
  const expected = names.map((name) => [name, shownDefault(name, route), shownDefault(name, proxy)]);

  const rows = marked.exec(read('docs/budgets.md'))?.[1]?.split('\n').slice(2) ?? [];
  const shown = rows.flatMap((row) => {
    const [, limits = '', ...defaults] = row.split('|').map((cell) => cell.trim());
    return [...limits.matchAll(/`(\w+)`/g)].map(([, name]) => [name, ...defaults.slice(0, 2)]);
  });
  const sorted = (table: (string | undefined)[][]): string[] =>
    table.map((row) => row.join(' | ')).toSorted();
  expect(sorted(shown)).toEqual(sorted(expected));
});

test('docs/limits-and-approvals.md names every code of an error', () => {
  const [, list = ''] =
    /type CuelineErrorCode =([^;]+);/.exec(read('packages/core/src/base/errors.ts')) ?? [];
  const codes = [...list.matchAll(/\| '(\w+)'/g)].map(([, code = '']) => code);
  const [, section = ''] = read('docs/limits-and-approvals.md').split('## How a run can end');
  expect(codes).toContain('invalid_options');
  expect(codes.filter((code) => !section.includes(`\`${code}\``))).toEqual([]);
});

test('docs/evals.md names every option of the command', () => {
  const { help: _, ...options } = evalOptions;
  const missing = Object.entries(options).filter(([name, option]) => {
    const ways = [`--${name}`, ...('short' in option ? [`\`-${option.short} `] : [])];
    return !ways.some((way) => read('docs/evals.md').includes(way));
  });
  expect(missing).toEqual([]);
});
