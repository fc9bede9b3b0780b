// Which version a range finds: as npm reads it.
import { createPromptLibrary, type PromptLibrary, type PromptRecord } from '@cueline/core/library';
import { expect, test } from 'vitest';

function libraryOf(versions: string): PromptLibrary {
  const prompts: readonly PromptRecord[] = versions
    .split(' ')
    .map((version) => ({ id: 'g', version, name: 'G', userPrompt: 'Hi' }));
  return createPromptLibrary(prompts);
}

test.each([
  // a part of a version
  ['1.0.0 1.4.0 1.4.2', '1', '1.4.2'],
  ['1.0.0 1.4.0 1.4.2', '1.4', '1.4.2'],
  ['1.0.0 1.4.0 1.4.2', 'v1.4', '1.4.2'],
  ['1.0.0 1.4.0 1.4.2', '=1.4', '1.4.2'],
  ['1.0.0 1.4.0 1.4.2', '1.4.0', '1.4.0'],
  ['1.0.0 1.2.3 1.2.9 1.10.0', '1.2', '1.2.9'],
  ['1.2.3 1.10.0 2.0.0', '1.x', '1.10.0'],
  ['1.2.3 1.2.4 1.3.0', '1.2.*', '1.2.4'],
  // comparisons
  ['1.0.0 1.4.0 1.4.2 1.5.0', '<=1.4', '1.4.2'],
  ['1.0.0 1.4.0 1.4.2 1.5.0', '<1.4', '1.0.0'],
  ['1.0.0 1.9.0 2.0.0', '> 1', '2.0.0'],
  ['1.0.0 1.9.0 2.0.0', '>=1 <2', '1.9.0'],
  ['1.0.0 1.4.0 1.4.2 1.5.0', '1.0 - 1.4', '1.4.2'],
  ['1.0.0 2.1.0 3.0.0', '^1 || 2', '2.1.0'],
  // caret and tilde
  ['0.0.3 0.0.4', '^0.0.3', '0.0.3'],
  ['0.2.3 0.2.9 0.3.0', '^0.2', '0.2.9'],
  ['0.2.3 0.9.0 1.0.0', '^0', '0.9.0'],
  ['1.2.3 1.10.0 2.0.0', '~1', '1.10.0'],
  ['1.2.3 1.2.9 1.3.0', '~1.2.3', '1.2.9'],
  // prereleases
  ['2.1.0-beta.1 2.1.0 2.2.0', '^2.1.0-beta.1', '2.2.0'],
  ['1.2.3 1.10.0', '^1.2.0-0', '1.10.0'],
  ['2.1.0-beta.1 2.1.0-beta.10 2.2.0-beta.1', '^2.1.0-beta.1', '2.1.0-beta.10'],
  ['1.9.0 2.0.0-beta.1', '^1', '1.9.0'],
  // build metadata, also with a hyphen
  ['1.0.0+2026-01-02', 'latest', '1.0.0+2026-01-02'],
  ['1.0.0+2026-01-02', '^1', '1.0.0+2026-01-02'],
  ['1.0.0+2026-01-02', '1.0.0', '1.0.0+2026-01-02'],
])('of %s, %j is %s', (versions, range, found) => {
  const library = libraryOf(versions);
  expect(library.get('g', range).version).toBe(found);
});

test.each(['<1', '>1', '^0.9', '2.x', '1.0 - 1.3', '<0 || >2', '1.4.1', '<*', '>=1.4.0-0 <1.4.0'])(
  'of 1.4.0 and 1.4.2, %j is none',
  (range) => {
    expect(libraryOf('1.4.0 1.4.2').has('g', range)).toBe(false);
  },
);

test.each(['>>1', '1.2.3.4', '1..2', '!=1', 'newest', '^1 || newest', '1 - ', '>=1.0<2'])(
  '%j is not a range',
  (range) => {
    expect(() => libraryOf('1.4.0').get('g', range)).toThrow(
      expect.objectContaining({ code: 'invalid_options' }),
    );
  },
);
