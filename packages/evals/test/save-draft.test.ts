import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createPromptLibrary, type PromptRecord } from '@cueline/core/library';
import { saveDraft } from '@cueline/evals';
import { afterEach, beforeEach, expect, test } from 'vitest';

const mood: PromptRecord = { id: 'mood', version: '1.0.0', name: 'Mood', userPrompt: 'Classify.' };
const draft: PromptRecord = {
  ...mood,
  version: '1.1.0',
  status: 'draft',
  userPrompt: 'Classify in one word.',
};

let folder: string;
let file: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cueline-draft-'));
  file = join(folder, 'mood.json');
});
afterEach(() => rmSync(folder, { recursive: true }));

const write = (content: unknown): void => writeFileSync(file, JSON.stringify(content));
const read = (): unknown => JSON.parse(readFileSync(file, 'utf8'));

test.each([
  ['a list', [mood], [mood, draft]],
  ['an object with a list', { $schema: 's', prompts: [mood] }, { $schema: 's', prompts: [mood, draft] }],
])('a version is added to %s, and only an exact version finds the draft', async (_, before, after) => {
  write(before);
  saveDraft(file, draft);
  expect(read()).toEqual(after);
  const library = await createPromptLibrary(file);
  expect(library.get('mood').version).toBe('1.0.0');
  expect(library.get('mood', '1.1.0').userPrompt).toBe('Classify in one word.');
});

test.each([
  ['a version that exists', [mood, draft], draft, 'has mood@1.1.0. Pass another version'],
  ['a file of one prompt', mood, draft, 'Make it a list'],
  ['a faulty prompt', [mood], { ...draft, version: 'new' }, 'version'],
])('nothing is written for %s', (_, before, prompt, message) => {
  write(before);
  expect(() => saveDraft(file, prompt)).toThrow(message);
  expect(read()).toEqual(before);
});

test('a missing file is an error', () => {
  expect(() => saveDraft(file, draft)).toThrow('saveDraft cannot read');
});
