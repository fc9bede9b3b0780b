import type { LanguageModelV4 } from '@ai-sdk/provider';
import type { Connection } from './connection.ts';
import { createModel } from './create-model.ts';
import { sampleModel, type SampleModelId } from './sample-model.ts';

/** The model of a connection for a prompt without code. `modelId`: another model of the same provider. */
export async function createPromptModel(
  { connection, keys }: Connection,
  modelId?: string,
): Promise<LanguageModelV4> {
  const { kind } = connection;
  if (kind === 'demo') return sampleModel((modelId ?? 'demo') as SampleModelId);
  if (modelId === undefined) return createModel({ connection, keys });
  return createModel({
    connection: { ...connection, [kind]: { ...connection[kind], model: modelId } },
    keys,
  });
}
