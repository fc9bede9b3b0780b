import type { EmbeddingModelV4 } from '@ai-sdk/provider';
import { APICallError } from 'ai';

/** An embedding model whose vectors count the letters a to c, the texts it has embedded, and a way to make it fail. */
export function lettersModel(): { model: EmbeddingModelV4; embedded: readonly string[]; failNext(): void } {
  const embedded: string[] = [];
  let fails = false;
  const model: EmbeddingModelV4 = {
    specificationVersion: 'v4',
    provider: 'scripted',
    modelId: 'letters',
    maxEmbeddingsPerCall: 10,
    supportsParallelCalls: false,
    async doEmbed({ values }) {
      if (fails) {
        fails = false;
        throw new APICallError({
          message: 'no credit left',
          url: '',
          requestBodyValues: {},
          isRetryable: false,
        });
      }
      embedded.push(...values);
      return {
        embeddings: values.map((value) => ['a', 'b', 'c'].map((letter) => value.split(letter).length - 1)),
        warnings: [],
      };
    },
  };
  return {
    model,
    embedded,
    failNext() {
      fails = true;
    },
  };
}
