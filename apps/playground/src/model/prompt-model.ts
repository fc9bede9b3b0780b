import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Connection } from './connection.ts';
import { createModel } from './create-model.ts';
import { sampleModel, type SampleModelId } from './sample-model.ts';

/** The model of a connection for a prompt without code. `modelId`: another model of the same provider. */
export async function createPromptModel(
  { connection, keys }: Connection,
  modelId?: string,
): Promise<LanguageModelV4> {
  switch (connection.kind) {
    case 'demo':
      return sampleModel((modelId ?? 'demo') as SampleModelId);
    case 'openai': {
      const { openai } = connection;
      return createModel({
        connection: { ...connection, openai: { ...openai, model: modelId ?? openai.model } },
        keys,
      });
    }
    case 'compatible': {
      const { compatible } = connection;
      const model = modelId ?? compatible.model;
      return createModel({ connection: { ...connection, compatible: { ...compatible, model } }, keys });
    }
  }
}
