import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { quoteValue } from '../base/quote-value.ts';
import { describeContent } from '../compile/describe-content.ts';
import { describeSchema, propertiesOf } from '../compile/describe-schema.ts';
import type { DryRun } from '../engine/run-dry-run.ts';
import type { CompiledRequest, RequestTool } from '../log/events.ts';

/**
 * Returns a request as readable text, for a terminal or a `<pre>`: model, settings, the system prompt and the
 * messages with their full texts, tools with their arguments, and for a dry run also its token estimate and its
 * warnings. Files are mentioned, and long arguments and results are cut.
 *
 * @example
 * console.log(explain(await dryRun(planDay, { input: { city: 'Faro' } })));
 * console.log(explain(run.getState().steps[0].request));
 */
export function explain(compiled: CompiledRequest | DryRun): string {
  const given: unknown = compiled;
  if (!isRecord(given) || (given['request'] ?? given['messages']) === undefined) {
    throw new CuelineError(
      'invalid_options',
      `explain takes a dry run, or the request of a step, but got ${quoteValue(given)}. Write explain(await dryRun(prompt)), or explain(run.getState().steps[0].request).`,
    );
  }
  const { request, tokens, warnings = [] } = 'request' in compiled ? compiled : { request: compiled };
  const { model, settings, instructions, messages, tools } = request;
  const sections: [title: string, lines: string[]][] = [
    ['Model', [model === '' ? 'none' : model]],
    ['Settings', columns(Object.entries(settings).map(([name, value]) => [name, JSON.stringify(value)]))],
    ['System prompt', instructions === '' ? [] : [instructions]],
    [
      'Messages',
      messages.flatMap(({ role, content }, index) => [
        `${index} ${role}`,
        ...describeContent(content).map(indented),
      ]),
    ],
    ['Tools', tools.flatMap(describeTool)],
    ['Tokens, estimated', tokens === undefined ? [] : tokenTable(tokens)],
    ['Warnings', warnings],
  ];
  const text = sections
    .filter(([, lines]) => lines.length > 0)
    .map(([title, lines]) => [title, ...lines.map(indented)].join('\n'))
    .join('\n\n');
  // a terminal would execute the control characters of a foreign text
  return text.replaceAll(/[^\P{Cc}\n\t]/gu, '\uFFFD');
}

function describeTool({ name, description, inputSchema }: RequestTool): string[] {
  const properties = propertiesOf(inputSchema);
  const lines = columns(
    properties?.map(({ label, type, description: about = '' }) => [`${label}:`, type, about]) ?? [
      [describeSchema(inputSchema)],
    ],
  );
  return [name, ...(description === undefined ? [] : [indented(description)]), ...lines.map(indented)];
}

function tokenTable({ total, parts }: DryRun['tokens']): string[] {
  const width = String(total).length;
  return columns(
    [...parts, { kind: 'total', name: '', tokens: total }].map(({ kind, name, tokens }) => [
      kind,
      name,
      String(tokens).padStart(width),
    ]),
  );
}

/** Aligns the cells of rows in columns. */
function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [at, cell] of row.entries()) widths[at] = Math.max(widths[at] ?? 0, cell.length);
  }
  return rows.map((row) =>
    row
      .map((cell, at) => cell.padEnd(widths[at] ?? 0))
      .join('  ')
      .trimEnd(),
  );
}

function indented(text: string): string {
  return text.replaceAll(/\r\n?/g, '\n').replaceAll(/^(?!$)/gm, '  ');
}
