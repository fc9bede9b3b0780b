import type { EmbeddingModel } from 'ai';
import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { loadModule } from '../base/load-module.ts';
import { quoteValue } from '../base/quote-value.ts';
import type { PromptLibrary } from './create-library.ts';
import type { LibraryPrompt } from './prompt-record.ts';
import { groupVersions, newestActive } from './versions.ts';

/** A prompt that a search found. */
export type FoundPrompt = {
  readonly prompt: LibraryPrompt;
  /** The cosine similarity of the prompt's texts and the query, from -1 to 1. */
  readonly similarity: number;
};

/** Settings of one search. */
export type SearchOptions = {
  /** How many prompts are returned at most. Default 5. */
  readonly limit?: number;
  readonly signal?: AbortSignal;
};

/** Finds prompts by meaning. */
export type PromptSearch = {
  /**
   * Returns the prompts whose meaning is nearest to the query, the nearest first. Rejects with the embedding model's
   * error.
   */
  search(query: string, options?: SearchOptions): Promise<readonly FoundPrompt[]>;
};

/** How much of a prompt is embedded, in characters. Embedding models read about 8,000 tokens. */
const MAX_TEXT = 8_000;

/**
 * Creates a search by meaning among the newest active version of each prompt, apart from prereleases. The first search
 * embeds them all, later ones only the query.
 * @throws CuelineError `invalid_options`
 *
 * @example
 * const { search } = createPromptSearch(library, { model: openai.embedding('text-embedding-3-small') });
 * const [nearest] = await search('a plan for a trip');
 */
export function createPromptSearch(
  library: Pick<PromptLibrary, 'list'>,
  settings: { model: EmbeddingModel },
): PromptSearch {
  checkNames('createPromptSearch', settings, ['model'], 'invalid_options');
  const { model } = settings;
  const versions = groupVersions(library.list());
  const prompts = [...versions.values()].flatMap((all) => newestActive(all) ?? []);
  let embedded: Promise<number[][]> | undefined;
  return {
    async search(query, { limit = 5, signal } = {}) {
      if (typeof query !== 'string' || query.trim() === '') {
        throw new CuelineError(
          'invalid_options',
          `search takes a string to search for, but got ${quoteValue(query)}.`,
        );
      }
      if (prompts.length === 0) return [];
      const { cosineSimilarity, embed, embedMany } = await loadModule('the search', import('ai'));
      // not aborted with one search, because the next one needs it; a failure is tried again
      embedded ??= embedMany({ model, values: prompts.map(searchableText) }).then(
        ({ embeddings }) => embeddings,
        (error: unknown) => {
          embedded = undefined;
          throw error;
        },
      );
      const [{ embedding }, vectors] = await Promise.all([
        embed({ model, value: query, ...(signal === undefined ? {} : { abortSignal: signal }) }),
        embedded,
      ]);
      return prompts
        .map((prompt, index) => ({ prompt, similarity: cosineSimilarity(embedding, vectors[index]!) }))

        .toSorted((one, other) => other.similarity - one.similarity)
        .slice(0, limit);
    },
  };
}

function searchableText({ name, description = '', systemPrompt, userPrompt }: LibraryPrompt): string {
  return [name, description, systemPrompt, userPrompt]
    .filter((text) => text !== '')
    .join('\n')
    .slice(0, MAX_TEXT);
}
