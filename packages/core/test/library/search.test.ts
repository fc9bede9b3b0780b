import { createPromptLibrary, createPromptSearch } from '@cueline/core/library';
import { expect, test } from 'vitest';
import { lettersModel } from '../support/letter-count-embeddings.ts';

const prompt = (
  id: string,
  userPrompt: string,
  more: object = {},
): { id: string; version: string; name: string; userPrompt: string } => ({
  id,
  version: '1.0.0',
  name: id,
  userPrompt,
  ...more,
});

const library = createPromptLibrary([
  prompt('one', 'aaaa'),
  prompt('two', 'bbbb'),
  prompt('three', 'bbbbcccc'),
  prompt('old', 'cccccc', { status: 'deprecated' }),
  prompt('two', 'cccc', { version: '2.0.0', status: 'draft' }),
]);

test('search finds prompts with a similar meaning, the most similar first', async () => {
  const { model } = lettersModel();
  const { search } = createPromptSearch(library, { model });
  const found = await search('bbb');
  expect(found.map(({ prompt: { id, version } }) => `${id}@${version}`)).toEqual([
    'two@1.0.0',
    'three@1.0.0',
    'one@1.0.0',
  ]);
  expect(found[0]?.similarity).toBeCloseTo(1);
  expect(await search('bbb', { limit: 1 })).toHaveLength(1);
});

test('search finds the version that the library returns, and no prerelease', async () => {
  const { model } = lettersModel();
  const versions = createPromptLibrary([
    prompt('plan', 'bbbb'),
    prompt('plan', 'cccc', { version: '2.0.0-beta.1' }),
    prompt('next', 'bbbb', { version: '1.0.0-beta.1' }),
  ]);
  const found = await createPromptSearch(versions, { model }).search('bbb');
  expect(found.map((one) => one.prompt)).toEqual([versions.get('plan')]);
});

test('search embeds the prompts once', async () => {
  const { model, embedded } = lettersModel();
  const { search } = createPromptSearch(library, { model });
  await search('a');
  await search('b');
  expect(embedded.filter((text) => text.startsWith('one'))).toHaveLength(1);
});

test('search embeds the prompts again after a failure', async () => {
  const { model, failNext } = lettersModel();
  const { search } = createPromptSearch(library, { model });
  failNext();
  await expect(search('a')).rejects.toThrow('no credit left');
  expect((await search('a'))[0]?.prompt.id).toBe('one');
});

test('an empty query is refused, and an empty library has no results', async () => {
  const { model } = lettersModel();
  await expect(createPromptSearch(library, { model }).search(' ')).rejects.toThrow(
    'search takes a string to search for',
  );
  expect(await createPromptSearch(createPromptLibrary([]), { model }).search('a')).toEqual([]);
});
