import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { CuelineError } from '../base/errors.ts';
import { checkPart } from './check-part.ts';

type Reader = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;

/**
 * Returns the part that was read.
 * @throws an error in the stream, for a stream that ends without a finish, and for a part that cannot be read
 */
export function readPart({
  done,
  value,
}: Awaited<ReturnType<Reader['read']>>): Exclude<LanguageModelV4StreamPart, { type: 'error' }> {
  if (done) {
    throw new CuelineError(
      'stream_truncated',
      'The model stopped in the middle of its answer: the stream ended without a finish. Try again.',
    );
  }
  const part = checkPart(value);
  if (part.type === 'error') throw part.error;
  return part;
}

/**
 * True for a delta without content, of which some servers send any number. Deltas with a signature count as content.
 */
export function isEmpty(part: LanguageModelV4StreamPart): boolean {
  return 'delta' in part && part.delta === '' && part.providerMetadata === undefined;
}

/** False for parts that only show that there is a connection. */
function isAnswer({ type }: LanguageModelV4StreamPart): boolean {
  return type !== 'stream-start' && type !== 'response-metadata' && type !== 'raw' && type !== 'ping';
}

/**
 * False for parts that can be taken back: a block that has started and is still empty, and what only the provider
 * reads. Anthropic's package begins every answer with such a `custom` part.
 */
export function isVisible(part: LanguageModelV4StreamPart): boolean {
  if ('delta' in part) return part.delta !== '';
  return isAnswer(part) && !/^(custom|(text|reasoning)-(start|end))$/.test(part.type);
}
