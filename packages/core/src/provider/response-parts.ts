import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { CuelineError } from '../base/errors.ts';

type Reader = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;

/** The part that was read. @throws what the stream says went wrong, and where it ends without a finish */
export function partOf({
  done,
  value,
}: Awaited<ReturnType<Reader['read']>>): Exclude<LanguageModelV4StreamPart, { type: 'error' }> {
  if (done) {
    throw new CuelineError(
      'stream_truncated',
      'The model broke off in the middle of its answer: the stream ended without a finish. Try again.',
    );
  }
  if (value.type === 'error') throw value.error;
  return value;
}

/** A delta that adds nothing, of which some servers send any number. Others carry a signature. */
export function isEmpty(part: LanguageModelV4StreamPart): boolean {
  return 'delta' in part && part.delta === '' && part.providerMetadata === undefined;
}

/** False for what says that there is a connection, and nothing of the answer. */
function isAnswer({ type }: LanguageModelV4StreamPart): boolean {
  return type !== 'stream-start' && type !== 'response-metadata' && type !== 'raw' && type !== 'ping';
}

/** False for what can be taken back: a block that has begun and has nothing in it yet. */
export function isVisible(part: LanguageModelV4StreamPart): boolean {
  if ('delta' in part) return part.delta !== '';
  return isAnswer(part) && !/^(text|reasoning)-(start|end)$/.test(part.type);
}
