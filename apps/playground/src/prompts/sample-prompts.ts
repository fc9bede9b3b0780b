import type { EditablePrompt } from './editable-prompt.ts';

/** The prompts of a first visit. The simulated model answers them; see `model/sample-model.ts`. */
export const samplePrompts: readonly EditablePrompt[] = [
  {
    id: 'classify-feedback',
    version: '1.0.0',
    name: 'Classify feedback',
    description: 'Sorts what guests write.',
    status: 'active',
    systemPrompt: 'You read feedback of guests of a small hotel.',
    systemPromptParameters: [],
    userPrompt: 'Is this feedback POSITIVE, NEGATIVE or NEUTRAL?\n\n{TEXT}',
    userPromptParameters: [{ name: 'TEXT', type: 'string', description: 'What the guest wrote.' }],
  },
  {
    id: 'classify-feedback',
    version: '1.1.0',
    name: 'Classify feedback',
    description: 'Sorts what guests write.',
    status: 'draft',
    systemPrompt:
      'You read feedback of guests of a small hotel. Answer with exactly one word: POSITIVE, NEGATIVE or NEUTRAL. If praise and complaints are mixed, the complaint decides.',
    systemPromptParameters: [],
    userPrompt: 'Classify this feedback:\n\n{TEXT}',
    userPromptParameters: [{ name: 'TEXT', type: 'string', description: 'What the guest wrote.' }],
  },
  {
    id: 'answer-guest',
    version: '1.0.0',
    name: 'Answer a guest',
    description: 'Drafts a reply to a review.',
    status: 'active',
    systemPrompt: 'You answer reviews for {HOTEL}. Your tone is {TONE}. Sign as {SIGNATURE}.',
    systemPromptParameters: [
      { name: 'HOTEL', type: 'string' },
      { name: 'TONE', type: 'enum', allowedValues: ['warm', 'formal', 'brief'] },
      { name: 'SIGNATURE', type: 'string', defaultValue: 'The reception' },
    ],
    userPrompt:
      'Write at most {SENTENCES} sentences to this guest. Offer a discount: {DISCOUNT}.\n\n{REVIEW}',
    userPromptParameters: [
      { name: 'REVIEW', type: 'string' },
      { name: 'SENTENCES', type: 'number', defaultValue: 4 },
      { name: 'DISCOUNT', type: 'boolean', defaultValue: false },
    ],
  },
];

/** Values of a first visit, by prompt id. */
export const sampleValues: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'classify-feedback': { TEXT: 'The room was lovely, but the shower stayed cold for two days.' },
  'answer-guest': {
    HOTEL: 'Hotel Miramar',
    TONE: 'warm',
    REVIEW: 'Great breakfast, thin walls. We heard every word of our neighbours.',
  },
};
