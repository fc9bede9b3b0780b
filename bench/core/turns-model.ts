import type { LanguageModel } from 'ai';

type Model = Exclude<LanguageModel, string> & { specificationVersion: 'v4' };
type Stream = Awaited<ReturnType<Model['doStream']>>['stream'];
type Part = Stream extends ReadableStream<infer Each> ? Each : never;

/** One step of the model: a tool call or a text. */
export type Turn = { name: string; input: object } | string;

/** The parts of a request that decide the model's turn: a request without tools asks for a text. */
type Request = { prompt: readonly { role: string }[]; tools?: readonly unknown[] | undefined };

/**
 * A model that takes one turn after the other, and tells `onCall` when it is called. `counts`: it says that each of
 * its calls has taken a token in and one out, and else nothing. Before each turn it lets the event loop go round
 * once, as a network would, so that subscribers of the run are called; otherwise it waits for nothing.
 */
export function turnsModel(
  turn: (step: number, request: Request) => Turn,
  onCall: (step: number, request: Request) => void,
  counts = true,
): Model {
  let calls = 0;
  return {
    specificationVersion: 'v4',
    provider: 'bench',
    modelId: 'turns',
    supportedUrls: {},
    doGenerate() {
      throw new Error('The bench streams.');
    },
    doStream: async (request) => {
      const step = calls++;
      onCall(step, request);
      await new Promise((resolve) => setImmediate(resolve));
      return { stream: streamOf(partsOf(turn(step, request), step, counts ? 1 : undefined)) };
    },
  };
}

function partsOf(turn: Turn, step: number, tokens: number | undefined): Part[] {
  const reason = typeof turn === 'string' ? 'stop' : 'tool-calls';
  return [
    { type: 'stream-start', warnings: [] },
    ...(typeof turn === 'string' ? answerParts(turn) : callParts(turn, `call-${step}`)),
    {
      type: 'finish',
      finishReason: { unified: reason, raw: reason },
      usage: {
        inputTokens: { total: tokens, noCache: tokens, cacheRead: 0, cacheWrite: 0 },
        outputTokens: { total: tokens, text: tokens, reasoning: 0 },
      },
    },
  ];
}

function answerParts(text: string): Part[] {
  return [
    { type: 'text-start', id: 'text' },
    { type: 'text-delta', id: 'text', delta: text },
    { type: 'text-end', id: 'text' },
  ];
}

function callParts({ name: toolName, input: given }: Exclude<Turn, string>, toolCallId: string): Part[] {
  const input = JSON.stringify(given);
  return [
    { type: 'tool-input-start', id: toolCallId, toolName },
    { type: 'tool-input-delta', id: toolCallId, delta: input },
    { type: 'tool-input-end', id: toolCallId },
    { type: 'tool-call', toolCallId, toolName, input },
  ];
}

function streamOf(parts: readonly Part[]): Stream {
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      const part = parts[sent++];
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  });
}
