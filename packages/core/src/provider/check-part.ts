import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { CuelineError } from '../base/errors.ts';
import { isRecord } from '../base/is-record.ts';
import { quoteValue } from '../base/quote-value.ts';

type Kind = 'string' | 'boolean' | 'object';
/** The members of a part, and what they are. */
type Members = Readonly<Record<string, Kind>>;

/** What a run records or reads of each part, apart from ids: without it the log could not be read again. */
const required: Readonly<Record<string, Members>> = {
  'text-delta': { delta: 'string' },
  'reasoning-delta': { delta: 'string' },
  'tool-input-start': { toolName: 'string' },
  'tool-input-delta': { delta: 'string' },
  'tool-call': { toolName: 'string', input: 'string' },
  'tool-result': { toolName: 'string' },
  'source url': { url: 'string' },
  'source document': { mediaType: 'string', title: 'string' },
  file: { mediaType: 'string' },
  'reasoning-file': { mediaType: 'string' },
  finish: { finishReason: 'object', usage: 'object' },
};
const optional: Members = {
  title: 'string',
  filename: 'string',
  providerExecuted: 'boolean',
  dynamic: 'boolean',
};

const hasId = /^(text|reasoning|tool-input)-(start|delta|end)$|^source /;
const hasCallId = /^tool-(call|result|approval-request)$/;

/**
 * Returns a part of a model's answer as its type promises: a model object may be written in JavaScript. A missing id
 * becomes an empty one, and an optional member of a wrong type is left out.
 * @throws CuelineError `provider_error` that names the member without which the part cannot be read
 */
export function checkPart(part: unknown): LanguageModelV4StreamPart {
  if (!isRecord(part)) throw malformedPartError(`${quoteValue(part)} as a part`);
  // most parts are deltas, which have nothing else
  if (typeof part['delta'] === 'string' && typeof part['id'] === 'string') {
    return part as LanguageModelV4StreamPart;
  }
  const type = part['type'] === 'source' ? `source ${String(part['sourceType'])}` : String(part['type']);
  const members = Object.hasOwn(required, type) ? required[type] : undefined;
  if (part['type'] === 'source' && members === undefined) {
    throw malformedPartError(`a source whose sourceType is ${quoteValue(part['sourceType'])}`);
  }
  for (const [name, kind] of Object.entries(members ?? {})) {
    if (!isKind(part[name], kind)) {
      throw malformedPartError(`a ${String(part['type'])} whose ${name} is ${quoteValue(part[name])}`);
    }
  }
  return withId(withoutInvalid(part), type) as LanguageModelV4StreamPart;
}

function isKind(value: unknown, kind: Kind): boolean {
  return kind === 'object' ? isRecord(value) : typeof value === kind;
}

function withoutInvalid(part: Record<string, unknown>): Record<string, unknown> {
  let valid = part;
  for (const name in optional) {
    const value = part[name];
    if (value === undefined || typeof value === optional[name]) continue;
    const { [name]: _invalid, ...rest } = valid;
    valid = rest;
  }
  return valid;
}

function withId(part: Record<string, unknown>, type: string): Record<string, unknown> {
  const name = hasId.test(type) ? 'id' : hasCallId.test(type) ? 'toolCallId' : undefined;
  if (name === undefined || typeof part[name] === 'string') return part;
  return { ...part, [name]: typeof part[name] === 'number' ? String(part[name]) : '' };
}

function malformedPartError(what: string): CuelineError {
  return new CuelineError(
    'provider_error',
    `The model sent ${what}, so its answer cannot be read. A model of your own must send the parts of ` +
      'LanguageModelV4StreamPart of @ai-sdk/provider; for any other, update the package of its provider.',
  );
}
