/** A part of a scripted turn. Every part may wait first: `delay` in milliseconds. */
export type ScriptedPart = { delay?: number } & (
  | { text: string; chunkSize?: number }
  | { reasoning: string; chunkSize?: number }
  | { toolCall: { name: string; input?: unknown; id?: string }; chunkSize?: number }
  /** An error event in the middle of the stream, as a provider sends it. It ends the turn. */
  | { error: unknown }
  /** The call itself fails, before anything is streamed. With a status, it is the AI SDK's APICallError. */
  | { throw: string | ScriptedFailure }
  | { finish: ScriptedFinish }
  /** Only a wait. */
  | { delay: number }
);

/** How a scripted call fails before its stream begins. */
export type ScriptedFailure = { message: string; status?: number; headers?: Record<string, string> };

/** The end of a turn, if `stop` or `tool-calls` and a count of characters are not enough. */
export type ScriptedFinish = {
  reason?: 'stop' | 'length' | 'content-filter' | 'tool-calls' | 'error' | 'interrupted' | 'other';
  usage?: {
    inputTokens?: number;
    outputTokens?: number;
    reasoningTokens?: number;
    /** The part of the input that the provider reads from its cache. */
    cachedInputTokens?: number;
    /** The part of the input that the provider writes into its cache. */
    cacheWriteTokens?: number;
  };
};

/** One answer of the model, as plain JSON: a text, or a list of parts. */
export type ScriptedTurn = string | readonly (string | ScriptedPart)[];
