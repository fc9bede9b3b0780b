/** How a model of the bench answers. */
export type Pace = {
  /** Events with a word in them. */
  events: number;
  /** Between two of them, in ms; 0 is as fast as they are taken. */
  everyMs: number;
  /** Whether the answer stays open when all is said. */
  stays?: boolean;
};

/** The models that the bench's provider has, by id. */
export const paces: Readonly<Record<'short' | 'paced' | 'burst' | 'idle', Pace>> = {
  short: { events: 4, everyMs: 1 },
  paced: { events: 80, everyMs: 10 },
  burst: { events: 2_000, everyMs: 0 },
  idle: { events: 1, everyMs: 0, stays: true },
};

/** The id of one of those models. */
export type ModelId = keyof typeof paces;

/** What each event says, with nothing in it that an event has besides. */
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
