import { describe, expect, test } from 'vitest';
import { editorPalettes, type EditorPalette } from '../../src/editor/themes.ts';

/** The contrast of two colors, as WCAG 2.2 defines it. */
function contrast(one: string, other: string): number {
  const [light, dark] = [luminance(one), luminance(other)].toSorted((a, b) => b - a);
  return (light! + 0.05) / (dark! + 0.05);
}

function luminance(color: string): number {
  const [red, green, blue] = [1, 3, 5].map((at) => {
    const value = Number.parseInt(color.slice(at, at + 2), 16) / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red! + 0.7152 * green! + 0.0722 * blue!;
}

const inTheText: readonly (keyof EditorPalette)[] = [
  'text',
  'comment',
  'keyword',
  'string',
  'literal',
  'type',
  'punctuation',
  'lineNumber',
  'activeLineNumber',
];

describe.each(Object.entries(editorPalettes))('the editor in the %s theme', (_name, palette) => {
  test.each(inTheText)('%s can be read on the background and on the line with the cursor', (name) => {
    expect(contrast(palette[name], palette.background)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(palette[name], palette.activeLine)).toBeGreaterThanOrEqual(4.5);
  });

  test.each(['text', 'muted', 'cursor', 'link'] as const)('%s can be read in suggestions', (name) => {
    expect(contrast(palette[name], palette.float)).toBeGreaterThanOrEqual(4.5);
    expect(contrast(palette[name], palette.chosen)).toBeGreaterThanOrEqual(4.5);
  });
});
