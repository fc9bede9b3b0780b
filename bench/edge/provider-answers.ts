/** The speed and length of a model's answer. */
export type Pace = {
  /** The number of events with a word. */
  events: number;
  /** The pause between two of them, in milliseconds; 0 is as fast as they are read. */
  everyMs: number;
  /** Whether the answer stays open after its last word. */
  stays?: boolean;
};

/** The models of the bench's provider, by id. */
export const paces: Readonly<Record<'short' | 'paced' | 'burst' | 'idle', Pace>> = {
  short: { events: 4, everyMs: 1 },
  paced: { events: 80, everyMs: 10 },
  burst: { events: 2_000, everyMs: 0 },
  idle: { events: 1, everyMs: 0, stays: true },
};

/** The id of one of those models. */
export type ModelId = keyof typeof paces;

/** The word of each event, which occurs nowhere else in an event. */
export const word = '"content":" word"';

/** An event of Chat Completions, as long as OpenAI's are. */
export const delta: string = event(
  `[{"index":0,"delta":{${word}},"logprobs":null,"finish_reason":null}],"usage":null`,
);

/** The events after the last word. */
export const ending: string =
  event('[{"index":0,"delta":{},"logprobs":null,"finish_reason":"stop"}],"usage":null') +
  event('[],"usage":{"prompt_tokens":9,"completion_tokens":9,"total_tokens":18}') +
  'data: [DONE]\n\n';

function event(choices: string): string {
  return `data: {"id":"chatcmpl-0123456789abcdefghijklmnopqrs","object":"chat.completion.chunk","created":1764000000,"model":"bench","system_fingerprint":"fp_0123456789","choices":${choices}}\n\n`;
}
