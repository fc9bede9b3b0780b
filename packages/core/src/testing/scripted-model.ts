import {
  APICallError,
  type LanguageModelV4,
  type LanguageModelV4CallOptions,
  type LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { countInput, countTokens, generateFrom, streamOf, usageOf, wait } from '@cueline/demo-model/stream';
import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { plural } from '../base/plural.ts';
import type { ScriptedFailure, ScriptedFinish, ScriptedPart, ScriptedTurn } from './script.ts';
import { validateTurns } from './validate-turns.ts';

/** The name of a scripted model, and how it streams. */
export type ScriptedModelOptions = {
  /** Default `simulated`. */
  provider?: string | undefined;
  /** Default `scripted`. */
  modelId?: string | undefined;
  /** Characters of a delta, for parts without their own. Default: whole parts. */
  chunkSize?: number | undefined;
  /** Milliseconds before every delta, for parts without their own. Default 0. */
  delay?: number | undefined;
};

/** A model with scripted answers. */
export type ScriptedModel = LanguageModelV4 & {
  /** The options of its calls, in order. */
  readonly calls: readonly LanguageModelV4CallOptions[];
};

/**
 * Returns a model that answers from a script: the nth call gets the nth turn. For tests, examples and demos that must
 * always go the same way.
 *
 * @example
 * const model = scriptedModel([
 *   [{ toolCall: { name: 'getWeather', input: { city: 'Lisbon' } } }],
 *   'It is sunny in Lisbon.',
 * ]);
 */
export function scriptedModel(
  turns: readonly ScriptedTurn[],
  options: ScriptedModelOptions = {},
): ScriptedModel {
  const script = validateTurns(turns);
  checkNames('scriptedModel', options, ['provider', 'modelId', 'chunkSize', 'delay'], 'invalid_options');
  const calls: LanguageModelV4CallOptions[] = [];

  const doStream: LanguageModelV4['doStream'] = async (call) => {
    const turn = calls.length;
    calls.push(call);
    call.abortSignal?.throwIfAborted();
    const parts = script[turn];
    if (parts === undefined) {
      throw new CuelineError(
        'invalid_options',
        `The scripted model was called ${turn + 1} times, but its script has ` +
          `${plural(script.length, 'turn')}. Add a turn.`,
        { details: { calls: turn + 1, turns: script.length } },
      );
    }
    const [first] = parts;
    if (first !== undefined && 'throw' in first) {
      if (first.delay !== undefined) await wait(first.delay, call.abortSignal);
      throw scriptedError(first.throw);
    }
    return streamOf(play(parts, turn, call, options), call.abortSignal);
  };

  return {
    specificationVersion: 'v4',
    provider: options.provider ?? 'simulated',
    modelId: options.modelId ?? 'scripted',
    // supports every URL, because the AI SDK downloads files that a model does not support
    supportedUrls: { '*/*': [/^https?:/] },
    calls,
    doStream,
    doGenerate: (call) => generateFrom(doStream, call),
  };
}

async function* play(
  parts: readonly ScriptedPart[],
  turn: number,
  call: LanguageModelV4CallOptions,
  options: ScriptedModelOptions,
): AsyncGenerator<LanguageModelV4StreamPart> {
  let output = 0;
  let reasoning = 0;
  let finish: ScriptedFinish | undefined;
  let called = false;
  yield { type: 'stream-start', warnings: [] };
  for (const [index, part] of parts.entries()) {
    if (part.delay !== undefined) await wait(part.delay, call.abortSignal);
    // a turn of the event loop between parts, as with a network: consumers must not rely on getting them together
    else await wait(0, call.abortSignal);
    const id = `${turn}-${index}`;
    if ('text' in part || 'reasoning' in part) {
      const kind = 'text' in part ? 'text' : 'reasoning';
      const text = 'text' in part ? part.text : part.reasoning;
      output += text.length;
      if (kind === 'reasoning') reasoning += text.length;
      yield { type: `${kind}-start`, id };
      for await (const delta of paced(text, part.chunkSize, call, options))
        yield { type: `${kind}-delta`, id, delta };
      yield { type: `${kind}-end`, id };
    } else if ('toolCall' in part) {
      called = true;
      const { name: toolName, input = {} } = part.toolCall;
      const toolCallId = part.toolCall.id ?? `call-${id}`;
      const json = typeof input === 'string' ? input : JSON.stringify(input);
      output += json.length;
      yield { type: 'tool-input-start', id: toolCallId, toolName };
      for await (const delta of paced(json, part.chunkSize, call, options)) {
        yield { type: 'tool-input-delta', id: toolCallId, delta };
      }
      yield { type: 'tool-input-end', id: toolCallId };
      yield { type: 'tool-call', toolCallId, toolName, input: json };
    } else if ('error' in part) {
      finish = { reason: 'error' };
      yield { type: 'error', error: part.error };
    } else if ('finish' in part) {
      finish = part.finish;
    }
  }
  const reason = finish?.reason ?? (called ? 'tool-calls' : 'stop');
  const { inputTokens, outputTokens, reasoningTokens, cachedInputTokens, cacheWriteTokens } =
    finish?.usage ?? {};
  yield {
    type: 'finish',
    finishReason: { unified: reason, raw: reason },
    usage: usageOf({
      input: inputTokens ?? countInput(call),
      cached: cachedInputTokens,
      written: cacheWriteTokens,
      output: outputTokens ?? countTokens(output),
      reasoning: reasoningTokens ?? countTokens(reasoning),
    }),
  };
}

/** Yields the text in pieces, each after its delay. Never splits a character. */
async function* paced(
  text: string,
  chunkSize: number | undefined,
  { abortSignal }: LanguageModelV4CallOptions,
  options: ScriptedModelOptions,
): AsyncGenerator<string> {
  const size = Math.max(1, Math.floor(chunkSize ?? options.chunkSize ?? text.length));
  const characters = size >= text.length ? [text] : Array.from(text);
  for (let at = 0; at < characters.length; at += size) {
    if (options.delay !== undefined && options.delay > 0) await wait(options.delay, abortSignal);
    const piece = characters.slice(at, at + size).join('');
    if (piece !== '') yield piece;
  }
}

function scriptedError(thrown: string | ScriptedFailure): Error {
  const { message, status, headers } = typeof thrown === 'string' ? { message: thrown } : thrown;
  if (status === undefined) return new Error(message);
  return new APICallError({
    message,
    url: 'https://simulated.invalid',
    requestBodyValues: {},
    statusCode: status,
    ...(headers === undefined ? {} : { responseHeaders: headers }),
    responseBody: JSON.stringify({ error: { message } }),
  });
}
