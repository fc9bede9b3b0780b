import { createPromptLibrary, defineTests } from '@cueline/core/library';
import { expect, test } from 'vitest';

const library = await createPromptLibrary(new URL('prompts/mood.json', import.meta.url));

test.each(defineTests(library.get('mood')))('mood $name', ({ run }) => {
  expect(run).not.toThrow();
});
