/** What a scripted turn can say. Every part may wait first: `delay` in milliseconds. */
export type ScriptedPart = { delay?: number } & (
  | { text: string; chunkSize?: number }
  | { reasoning: string; chunkSize?: number }
  | { toolCall: { name: string; input?: unknown; id?: string }; chunkSize?: number }
  /** An error event in the middle of the stream, as a provider would send it. The turn ends with it. */
  | { error: unknown }
  /** The call itself fails, before anything is streamed. With a status it is the AI SDK's APICallError. */
  | { throw: string | ScriptedFailure }
  | { finish: ScriptedFinish }
  /** Nothing but a wait. */
  | { delay: number }
);

/** How a scripted call fails before its stream begins. */
export type ScriptedFailure = { message: string; status?: number; headers?: Record<string, string> };

/** How a turn ends, where `stop` or `tool-calls` and a count of characters will not do. */
export type ScriptedFinish = {
  reason?: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'interrupted' | 'other';
  usage?: {
    inputTokens?: number;
    outputTokens?: number;
    reasoningTokens?: number;
    cachedInputTokens?: number;
  };
};

/** One answer of the model, as plain JSON: a text, or a list of parts. */
export type ScriptedTurn = string | readonly (string | ScriptedPart)[];
