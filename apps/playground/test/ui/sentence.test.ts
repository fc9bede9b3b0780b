import { createElement, type ComponentType } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import { expect, test } from 'vitest';
import { CallData } from '../../src/transcript/calls/call-data.tsx';
import { CallSummary } from '../../src/transcript/calls/call-summary.tsx';
import { ErrorRow, WarningRow } from '../../src/transcript/ending-rows.tsx';
import { Sentence } from '../../src/ui/text/sentence.tsx';

function draw<Props extends object>(component: ComponentType<Props>, props: Props): string {
  return renderToStaticMarkup(createElement(component, props));
}

test.each([
  ['שלום took longer than 5 ms.', '<bdi>שלום</bdi> took longer than 5 ms.'],
  ['"שלום עולם" is not one of: طقس, 5.', '"<bdi>שלום עולם</bdi>" is not one of: <bdi>طقس</bdi>, 5.'],
  ['Tool ש (2, ל) ended.', 'Tool <bdi>ש (2, ל</bdi>) ended.'],
  ['No foreign word.', 'No foreign word.'],
])('a sentence runs from left to right, with its foreign words isolated: %s', (text, html) => {
  expect(draw(Sentence, { text })).toBe(`<span dir="ltr">${html.replaceAll('"', '&quot;')}</span>`);
});

test('the beginning of a long sentence is isolated, too', () => {
  expect(draw(Sentence, { text: 'שלום is long', atOnce: 7 })).toContain('<bdi>שלום</bdi> is…');
});

test('errors and warnings that begin with a foreign name run from left to right', () => {
  const message = 'שלום took longer than 5 ms.';
  const isolated = '<span dir="ltr"><bdi>שלום</bdi> took longer than 5 ms.</span>';
  expect(draw(ErrorRow, { error: { code: 'timeout', message }, shared: false })).toContain(isolated);
  expect(draw(WarningRow, { message })).toContain(isolated);
  expect(draw(CallData, { call: { state: 'output-error', errorText: message } })).toContain(isolated);
});

test('an error of a tool in another language takes the direction of that language', () => {
  const errorText = 'השרת של API לא ענה.';
  const html = draw(CallData, { call: { state: 'output-error', errorText } });
  expect(html).toContain(`whitespace-pre-wrap">${errorText}<`);
  const call = { toolCallId: 'c', toolName: 'ask', step: 0, input: {}, inputText: '{}', errorText };
  const summary = draw(CallSummary, { call: { ...call, state: 'output-error' } as never });
  expect(summary).toContain('<bdi>השרת של API לא ענה');
});

test('a long text of marks and signs between letters of both directions is drawn', () => {
  const text = `${'ש\u05b8,'.repeat(2_000)}a`.repeat(5);
  expect(draw(Sentence, { text, atOnce: text.length }).match(/<bdi>/g)).toHaveLength(5);
});
