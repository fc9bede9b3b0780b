/** A part of an answer of the small model: text, or a tool call (its name defaults to the request's first tool). */
export type ReplyPart = { text: string } | { toolCall: { name?: string; input?: unknown } };

/** One answer that a test plans for the model's next call. */
export type Reply = ReplyPart | readonly ReplyPart[];

/** A request as the model reads it, in either format. */
export type ModelCall = {
  model: string;
  /** Names of the tools that came with the request. */
  tools: string[];
  /** Text of the last user message. */
  question: string;
  /** Results of the tools called since that message, as the client sent them. */
  toolResults: string[];
  /** Whether the client asked for usage; the Responses format always has it. */
  usage: boolean;
};

/** One piece of a streamed answer. */
export type Delta =
  | { type: 'text'; text: string }
  | { type: 'tool-start'; id: string; name: string }
  | { type: 'tool-input'; id: string; text: string }
  | { type: 'tool-end'; id: string; name: string; input: string };

/**
 * The model's answer without a plan: it calls the first tool once, then answers with the tool's result. Without tools,
 * it repeats the question.
 */
export function answer(call: ModelCall): Reply {
  if (call.toolResults.length > 0) return { text: `The tool said: ${call.toolResults.join(' and ')}` };
  if (call.tools.length > 0 && call.model !== 'fault-midstream') return { toolCall: {} };
  return { text: `You said: ${call.question}` };
}

/** The same reply as it goes over the wire: text word by word, tool arguments in pieces of up to eight characters. */
export function* toDeltas(
  reply: Reply,
  call: ModelCall,
  toolInputs: Readonly<Record<string, unknown>>,
  nextId: () => string,
): Generator<Delta> {
  for (const part of isList(reply) ? reply : [reply]) {
    if ('text' in part) {
      for (const text of part.text.match(/\s*\S+\s*$|\s*\S+/g) ?? []) yield { type: 'text', text };
      continue;
    }
    const name = part.toolCall.name ?? call.tools[0] ?? 'unknown';
    const id = nextId();
    const input = JSON.stringify(part.toolCall.input ?? toolInputs[name] ?? {});
    yield { type: 'tool-start', id, name };
    // Two pieces at least, so that a stream can break off inside the arguments.
    const size = Math.min(8, Math.ceil(input.length / 2));
    for (let at = 0; at < input.length; at += size) {
      yield { type: 'tool-input', id, text: input.slice(at, at + size) };
    }
    yield { type: 'tool-end', id, name, input };
  }
}

function isList(reply: Reply): reply is readonly ReplyPart[] {
  return Array.isArray(reply);
}

/** Token counts that a test can predict: words of the question in, deltas out. */
export function countTokens(call: ModelCall, deltas: number): { input: number; output: number } {
  return { input: call.question.split(/\s+/).filter(Boolean).length, output: deltas };
}
