/** Model ids that make the server misbehave, each as a real one does; any other id answers well. */
export const faults = {
  'fault-401': 'refuses the key, and repeats it in the error body',
  'fault-cors': 'answers without CORS headers, which a browser refuses',
  'fault-midstream': 'sends an error object after some text',
  'fault-truncated': 'ends the stream inside tool arguments, or inside the text where there is no tool',
  slow: 'waits 200 ms before each delta',
} as const;

/** Message of the error in the stream of `fault-midstream`. */
export const midstreamMessage = 'The server had an error while processing your request.';

/** Status and body of the answers that are refusals, as OpenAI words them. */
export function refusal(model: string, authorization: string): { status: number; body: object } | undefined {
  if (model !== 'fault-401') return undefined;
  const key = authorization.replace(/^Bearer /, '');
  return {
    status: 401,
    body: {
      error: {
        message: `Incorrect API key provided: ${key}.`,
        type: 'invalid_request_error',
        param: null,
        code: 'invalid_api_key',
      },
    },
  };
}
