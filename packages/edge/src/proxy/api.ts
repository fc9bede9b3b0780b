import type { ReportedUsage } from '../limits/charge.ts';
import type { JsonObject } from './body-fields.ts';
import type { Media } from './media.ts';

/** The rules by which the body of one request is checked. */
export type BodyRules = {
  model: string;
  maxOutputTokens: number;
  /** Fields of the body that are forwarded. */
  fields: ReadonlySet<string>;
  /** Filled while the body is read. */
  media: Media;
};

/** A body that may be sent upstream. */
export type CheckedBody = {
  body: JsonObject;
  stream: boolean;
  /** The longest answer that the body asks for, in tokens. */
  outputTokens: number;
  /** True if the proxy requested the usage itself: an event with nothing but usage is not forwarded. */
  hideUsage?: boolean;
};

/** One of the API formats of providers. */
export type Api = {
  /** The fields of a body that are forwarded, unless the provider's options name others. */
  fields: readonly string[];
  /** Headers that carry the key. */
  authorize(key: string): Record<string, string>;
  /** Another request header that is forwarded. */
  passedHeader?: { name: string; read(value: string): string | undefined };
  /** Builds the body that is sent, or throws an HttpError. */
  check(body: JsonObject, rules: BodyRules): CheckedBody;
  /** The fields that contain each piece of text once in the events of a stream. */
  deltas: readonly string[];
  /** Reads the usage from an event, or from a whole answer. */
  usage(data: JsonObject): ReportedUsage | undefined;
};
