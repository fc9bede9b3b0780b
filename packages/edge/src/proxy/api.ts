import type { ReportedUsage } from '../limits/charge.ts';
import type { JsonObject } from './body-fields.ts';
import { chatApi, mistralApi } from './chat.ts';
import { generateContentApi, streamGenerateContentApi } from './generate-content.ts';
import type { Media } from './media.ts';
import { messagesApi } from './messages.ts';
import { responsesApi } from './responses.ts';

/** What holds for one request while its body is checked. */
export type BodyRules = {
  model: string;
  maxOutputTokens: number;
  /** Fields of the body that are passed on. */
  fields: ReadonlySet<string>;
  /** Filled while the body is read. */
  media: Media;
};

/** A body that may be sent upstream. */
export type CheckedBody = {
  body: JsonObject;
  stream: boolean;
  /** The longest answer that the body asks for. */
  outputTokens: number;
  /** Tells of usage, which the caller did not ask for: the event that has nothing else is not passed on. */
  hideUsage?: boolean;
};

/** One of the formats in which models are asked. */
export type Api = {
  /** What is passed on of a body where the provider's settings do not say otherwise. */
  fields: readonly string[];
  /** Headers that carry the key. */
  authorize(key: string): Record<string, string>;
  /** What else is passed on of the request's headers, by name. */
  passedHeader?: { name: string; read(value: string): string | undefined };
  /** Builds the body that is sent, or throws a Refusal. */
  check(body: JsonObject, rules: BodyRules): CheckedBody;
  /** The fields in which the events of a stream have each piece of text once. */
  deltas: readonly string[];
  /** Reads the usage out of an event, or of a whole answer. */
  usage(data: JsonObject): ReportedUsage | undefined;
};

/** The format that a path speaks. `{model}` stands for the id of a model. */
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
