import { runPrompt } from '@cueline/core';
// #region values
import { createPromptLibrary, type PromptRecord } from '@cueline/core/library';
import { scriptedModel } from '@cueline/core/testing';

const greet = {
  id: 'greet',
  version: '1.0.0',
  name: 'Greet',
  userPrompt: 'Say hello to {NAME} in {LANGUAGE}.',
  userPromptParameters: [
    { name: 'NAME', type: 'string' },
    { name: 'LANGUAGE', type: 'enum', allowedValues: ['English', 'Portuguese'], defaultValue: 'English' },
  ],
} as const satisfies PromptRecord;

const library = createPromptLibrary([greet]);
export const greeting = library.definePrompt('greet'); // input: { NAME: string; LANGUAGE?: 'English' | 'Portuguese' }
// #endregion

const { run } = await runPrompt(greeting, {
  model: scriptedModel(['Olá, Ada!']),
  input: { NAME: 'Ada', LANGUAGE: 'Portuguese' },
});
console.log((await run.finished).text);
// prints: Olá, Ada!
