import type { EvalSettings } from './eval-settings.ts';

const cases: readonly [id: string, text: string, expect: string][] = [
  ['praise', 'What a lovely stay! Friendly people and the best breakfast in town.', 'POSITIVE'],
  ['praise-short', 'Perfect, thank you.', 'POSITIVE'],
  ['complaint', 'The shower was broken and nobody came to repair it.', 'NEGATIVE'],
  ['complaint-polite', 'I am afraid the towels were dirty when we arrived.', 'NEGATIVE'],
  ['mixed', 'Great location and a wonderful view, but the room was noisy.', 'NEGATIVE'],
  ['negation', 'Not bad at all for the price.', 'POSITIVE'],
  ['question', 'Is there a place to leave bicycles overnight?', 'NEUTRAL'],
  ['fact', 'We arrived on Tuesday and left on Friday.', 'NEUTRAL'],
  ['irony', 'Three hours for an omelette. What a talent.', 'NEGATIVE'],
];

/** The eval of a first visit: two versions of a sample prompt. */
export const sampleEval: EvalSettings = {
  prompt: 'classify-feedback',
  versions: ['1.0.0', '1.1.0'],
  models: [],
  scorers: [{ kind: 'equals', value: '' }],
  repeat: 2,
  concurrency: 5,
  prices: {},
  cases: cases.map(([id, TEXT, expect]) => ({ id, input: { TEXT }, expect })),
};
