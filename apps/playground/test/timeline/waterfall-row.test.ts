import { createElement } from 'react';
import { expect, test } from 'vitest';
import type { TimelineRow } from '../../src/timeline/timeline-row.ts';
import { WaterfallRow } from '../../src/timeline/waterfall-row.tsx';
import { htmlOf } from '../drawn.ts';

const row: TimelineRow = {
  key: 'c',
  level: 1,
  kind: 'call',
  label: 'חיפוש_2',
  start: 0,
  end: 1,
  segments: [],
  failed: true,
  hasChildren: false,
  selection: undefined,
  isItself: true,
};

function draw(detail: string): string {
  const place = { id: 'c', index: 0, isFolded: false, isSelected: false, isActive: false, now: 0 };
  return htmlOf(createElement(WaterfallRow, { ...place, row: { ...row, detail } }));
}

test('a name that is written from right to left does not reorder what is beside it', () => {
  expect(draw('Failed.')).toMatch(/<bdi[^>]*>חיפוש_2<\/bdi>/);
});

test('a sentence in a row is written from left to right, and a text in Hebrew from right to left', () => {
  expect(draw('חיפוש failed: timeout.')).toContain(
    '<span dir="ltr"><bdi>חיפוש</bdi> failed: timeout.</span>',
  );
  expect(draw('לא נמצא דבר!')).toContain('<bdi>לא נמצא דבר!</bdi>');
});
