import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { generateFrom, streamOf, wait } from './model-stream.ts';
import { parsePrompt } from './parse-prompt.ts';
import { planStep } from './plan.ts';
import type { Plan } from './tool-calls.ts';
import { countInput, countTokens, usageOf } from './usage.ts';

/** How the demo model behaves. */
export type DemoModelOptions = {
  /** Milliseconds between a few words, on average. 25 by default; 0 streams without waiting, for tests. */
  pace?: number;
  /** The date of "today". 15 January 2026 by default, so that answers never change. */
  now?: Date;
};

/**
 * A model that needs no key, no network and no server, and answers any script by rules: it restates the
 * request, calls each active tool with arguments made from its schema, works through task lists, and quotes
 * what the tools returned. Its answers say that it is simulated. The same conversation always gets the same
 * answer. Throws a `TypeError` for an option that does not exist.
 */
export function demoModel(options: DemoModelOptions = {}): LanguageModelV4 {
  const unknown = Object.keys(options).find((name) => name !== 'pace' && name !== 'now');
  if (unknown !== undefined) throw new TypeError(`demoModel has no "${unknown}". There are: pace, now.`);
  const { pace = 25, now = new Date('2026-01-15T09:00:00Z') } = options;
  const doStream: LanguageModelV4['doStream'] = async (call) => {
    call.abortSignal?.throwIfAborted();
    const plan = planStep(call, parsePrompt(call.prompt), now);
    return streamOf(streamAnswer(plan, call, pace), call.abortSignal);
  };
  return {
    specificationVersion: 'v4',
    provider: 'simulated',
    modelId: 'demo',
    // accepts every URL unchanged: the AI SDK downloads what a model does not accept
    supportedUrls: { '*/*': [/^https?:/] },
    doStream,
    doGenerate: (call) => generateFrom(doStream, call),
  };
}

async function* streamAnswer(
  { text, calls }: Plan,
  call: LanguageModelV4CallOptions,
  pace: number,
): AsyncGenerator<LanguageModelV4StreamPart> {
  const { prompt, abortSignal } = call;
  let output = text.length;
  yield { type: 'stream-start', warnings: [] };
  if (text !== '') {
    yield { type: 'text-start', id: 'text' };
    for (const [index, delta] of inPieces(text).entries()) {
      // Uneven, like a real model, and the same every time: between three and eight fifths of the pace.
      if (pace > 0) await wait((pace * (3 + ((index * 7) % 6))) / 5, abortSignal);
      yield { type: 'text-delta', id: 'text', delta };
    }
    yield { type: 'text-end', id: 'text' };
  }
  const turn = fingerprint(JSON.stringify(prompt, withoutBytes));
  for (const [index, { name: toolName, input }] of calls.entries()) {
    const toolCallId = `demo-${turn}-${index}`;
    const json = JSON.stringify(input ?? {});
    output += json.length;
    yield { type: 'tool-input-start', id: toolCallId, toolName };
    for (const delta of inPieces(json)) {
      if (pace > 0) await wait(pace, abortSignal);
      yield { type: 'tool-input-delta', id: toolCallId, delta };
    }
    yield { type: 'tool-input-end', id: toolCallId };
    yield { type: 'tool-call', toolCallId, toolName, input: json };
  }
  const reason = calls.length > 0 ? 'tool-calls' : 'stop';
  yield {
    type: 'finish',
    finishReason: { unified: reason, raw: reason },
    usage: usageOf({
      input: countInput(call),
      output: countTokens(output),
    }),
  };
}

/** A short hash of a text: a task list hides earlier calls, whose ids must not be used again. */
function fingerprint(text: string): string {
  let hash = 5381;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash, 33) ^ text.charCodeAt(at);
  return (hash >>> 0).toString(36);
}

function withoutBytes(_key: string, value: unknown): unknown {
  return value instanceof Uint8Array ? value.length : value;
}

/** A text in pieces of one to three words; no piece spans two lines. */
function inPieces(text: string): string[] {
  const words = text.match(/\s*\S{1,40}|\s+$/g) ?? [];
  const pieces: string[] = [];
  for (let at = 0; at < words.length;) {
    const size = 1 + (at % 3);
    pieces.push(words.slice(at, at + size).join(''));
    at += size;
  }
  return pieces;
}
