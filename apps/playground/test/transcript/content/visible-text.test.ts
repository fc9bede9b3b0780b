import fc from 'fast-check';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { ArgumentsEditor } from '../../../src/approval/arguments-editor.tsx';
import type { RunRow } from '../../../src/history/rows.ts';
import { RunRowItem } from '../../../src/history/run-row.tsx';
import { CallSummary } from '../../../src/transcript/calls/call-summary.tsx';
import { SubCalls } from '../../../src/transcript/calls/sub-calls.tsx';
import { ToolCard } from '../../../src/transcript/calls/tool-card.tsx';
import { FileView } from '../../../src/transcript/content/file-part.tsx';
import { ErrorRow, WarningRow } from '../../../src/transcript/ending-rows.tsx';
import { SourceRow } from '../../../src/transcript/rows.tsx';
import { JsonView } from '../../../src/ui/data/json-view.tsx';
import { hiddenIn, visibleText } from '../../../src/ui/visible-text.ts';

const code = (point: number): string => `\\u${point.toString(16).padStart(4, '0')}`;
const range = (first: number, last: number): number[] =>
  Array.from({ length: last - first + 1 }, (_, index) => first + index);
const hidden = [
  ...range(0x00, 0x1f).filter((point) => point !== 0x09 && point !== 0x0a),
  ...range(0x7f, 0x9f),
  0xad,
  0x61c,
  ...range(0x200b, 0x200f),
  ...range(0x2028, 0x202e),
  ...range(0x2060, 0x2069),
  0xfeff,
];

test('each hidden character is written as an escape', () => {
  const seen = hidden.map((point) => visibleText(`a${String.fromCodePoint(point)}b`));
  expect(seen).toEqual(hidden.map((point) => `a${code(point)}b`));
});

test('the hidden characters of a text are named once each, and a line break is none of them', () => {
  expect(hiddenIn('to\u202e: ann\u200b@\u202eevil.org\r\n\tHi\n')).toEqual(['\\u202e', '\\u200b']);
  expect(hiddenIn('Grüße ❤️')).toEqual([]);
});

test('a joiner that joins nothing is shown as an escape', () => {
  expect(visibleText('pay\u200dpal 👩\u200d \u200cمی')).toBe(String.raw`pay\u200dpal 👩\u200d \u200cمی`);
});

test('a character outside the first plane is written as in JSON', () => {
  expect(visibleText('a\u{e0041}b')).toBe('a\\udb40\\udc41b');
});

/** The flag of England. */
const flag = '\u{1f3f4}\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}';

test('tags behind a flag, and those of other flags, are shown as escapes', () => {
  expect(visibleText(`${flag}\u{e0061}`)).toBe(`${flag}\\udb40\\udc61`);
  expect(visibleText('\u{1f3f4}\u{e0067}\u{e007f}')).toBe('\u{1f3f4}\\udb40\\udc67\\udb40\\udc7f');
});

test.each([
  '',
  'a\n\tb',
  'Grüße, 東京, مرحبا, שלום',
  '❤️ 👍🏽 ☎︎',
  '👩\u200d🚀 👩🏽\u200d🚀 👨\u200d👩\u200d👧 ❤️\u200d🔥',
  'می\u200cخواهم',
  'क्\u200dष',
  'a b',
  'a\r\nb',
  flag,
  '\\u202e',
])('%j is as it was', (text) => {
  expect(visibleText(text)).toBe(text);
});

test('JSON stays JSON of the same value', () => {
  const hiding = fc.string({
    unit: fc.constantFrom('a', '"', '\\', ...hidden.map((p) => String.fromCodePoint(p))),
  });
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), fc.dictionary(hiding, hiding)), (value) => {
      const text = visibleText(JSON.stringify(value, null, 2));
      expect(JSON.parse(text)).toEqual(JSON.parse(JSON.stringify(value)));
      expect(visibleText(text)).toBe(text);
    }),
  );
});

test('values and arguments are shown with their hidden characters', () => {
  const to = 'ann\u202e@evil\u200b.org';
  const json = (value: unknown): string => renderToStaticMarkup(createElement(JsonView, { value }));
  expect(json({ to })).toContain('ann\\u202e@evil\\u200b.org');
  expect(json(to)).toContain('ann\\u202e@evil\\u200b.org');
  const text = JSON.stringify({ to });
  const editor = createElement(ArgumentsEditor, { text, fault: undefined, onChange() {} });
  expect(renderToStaticMarkup(editor)).toContain('ann\\u202e@evil\\u200b.org');
});

test('a folded call shows hidden characters, too', () => {
  const input = { to: 'ann\u202e@evil.org' };
  const done = { input, state: 'output-available', output: 'sent\u200b' } as const;
  const call = { ...done, toolCallId: 'c', toolName: 'send', step: 1, inputText: '', calledAt: 0 };
  const failed = {
    name: 'send',
    input,
    state: 'output-error',
    errorText: 'no\u2066',
    startedAt: 0,
    ms: 1,
  } as const;
  const subCalls = [{ ...done, name: 'send', startedAt: 0, ms: 1 }, failed];
  const folded = renderToStaticMarkup(createElement(CallSummary, { call }));
  const inside = renderToStaticMarkup(createElement(SubCalls, { subCalls, clock: undefined }));
  const escapes = (html: string): string[] => html.match(/\\u[0-9a-f]{4}/g) ?? [];
  expect(escapes(folded)).toEqual(['\\u202e', '\\u200b']);
  expect(escapes(inside)).toEqual(['\\u202e', '\\u200b', '\\u202e', '\\u2066']);
});

test('the name of a file and the title of a run are shown with their hidden characters', () => {
  const name = 'invoice\u202egnp.exe';
  const file = { mediaType: 'image/png', filename: name };
  for (const url of ['data:application/pdf;base64,AAAA', 'data:image/png;base64,AAAA']) {
    const html = renderToStaticMarkup(createElement(FileView, { file: { ...file, url } }));
    expect(html).toContain('invoice\\u202egnp.exe');
  }
  const row = {
    id: 'a',
    title: name,
    status: 'done',
    model: { name: 'gpt\u202e' },
    steps: 1,
    turns: 1,
    elapsed: 1,
  };
  const html = renderToStaticMarkup(
    createElement(RunRowItem, {
      row: { ...row, startedOn: 1, hasLog: true } as RunRow,
      parent: undefined,
      isInProgress: false,
      isShown: false,
      nextFocusRef: { current: undefined },
      onOpen() {},
      onDeleted() {},
    }),
  );
  expect(html).toContain('>invoice\\u202egnp.exe<');
  expect(html).toContain('gpt\\u202e');
});

test('errors, warnings, sources and names of tools are shown with their hidden characters', () => {
  const text = 'Pay\u202e at\u200b evil.example';
  const done = {
    state: 'output-available',
    output: 1,
    input: {},
    inputText: '',
    step: 0,
    calledAt: 0,
  } as const;
  const call = { ...done, toolCallId: 'c', toolName: text };
  const rows = [
    createElement(ErrorRow, { error: { code: 'provider_error', message: text }, shared: false }),
    createElement(WarningRow, { message: text }),
    createElement(SourceRow, { title: text, url: 'https://evil.example' }),
    createElement(ToolCard, { call, pending: undefined, clock: undefined }),
  ];
  for (const row of rows) {
    expect(renderToStaticMarkup(row)).toContain('>Pay\\u202e at\\u200b evil.example<');
  }
});
