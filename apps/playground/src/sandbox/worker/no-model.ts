import type { LanguageModelV4 } from '@ai-sdk/provider';
import { CuelineError } from '@cueline/core';

const refuse = (): never => {
  throw new CuelineError(
    'sandbox_refused',
    'The preview calls no model, and this script calls one before its first request. Press Run to see it.',
  );
};

/** The model for a check or a preview: every call fails. */
export const noModel: LanguageModelV4 = {
  specificationVersion: 'v4',
  provider: 'preview',
  modelId: 'none',
  supportedUrls: {},
  doGenerate: async () => refuse(),
  doStream: async () => refuse(),
};
