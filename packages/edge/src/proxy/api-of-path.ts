import { messagesApi } from './anthropic-messages.ts';
import type { Api } from './api.ts';
import { chatApi, mistralApi } from './chat-completions.ts';
import { generateContentApi, streamGenerateContentApi } from './generate-content.ts';
import { responsesApi } from './openai-responses.ts';

/** The format that belongs to a path. `{model}` stands for the id of a model. */
export function apiOfPath(path: string, provider: string): Api | undefined {
  return Object.hasOwn(paths, path) ? paths[path]!(provider) : undefined;
}

const paths: Record<string, (provider: string) => Api> = {
  '/chat/completions': (provider) => (provider === 'mistral' ? mistralApi : chatApi(provider === 'openai')),
  '/responses': () => responsesApi,
  '/messages': () => messagesApi,
  '/models/{model}:generateContent': () => generateContentApi,
  '/models/{model}:streamGenerateContent': () => streamGenerateContentApi,
};

/** The paths whose bodies can be checked. */
export const knownPaths: readonly string[] = Object.keys(paths);
