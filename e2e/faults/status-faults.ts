import { first, pour, type Fault, type Outcome } from './fault.ts';
import type { Play } from './provider.ts';

/** The key of the test, which some faults repeat. */
export const key = 'sk-fault-0123456789abcdef';

function refuse(status: number, error: Record<string, unknown>, headers: Record<string, string> = {}): Play {
  return ({ response }) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify({ error: { type: 'error', param: null, code: null, ...error } }));
  };
}

function page(status: number): Play {
  return ({ response }) => {
    response.writeHead(status, { 'content-type': 'text/html' });
    response.end('<!doctype html><title>Sorry</title><p>Something went wrong.</p>');
  };
}

function redirect(status: number, location: string): Play {
  return ({ response }) => void response.writeHead(status, { location }).end();
}

const busy = { message: 'Rate limit reached.', type: 'requests', code: 'rate_limit_exceeded' };

/** The proxy forwards only JSON and event streams. */
const noAnswer: Partial<Outcome> = {
  ends: 'stream_malformed',
  details: { proxyCode: 'upstream_content_type' },
};

/** Invalid answers: refusals, redirects, web pages, and bodies of other types. */
export const statusFaults: Fault[] = [
  { name: '400', play: refuse(400, { message: 'Bad field.' }), ends: 'bad_request' },
  {
    name: '401 that repeats the key',
    play: refuse(401, { message: `Incorrect API key provided: ${key}.`, code: 'invalid_api_key' }),
    ends: 'auth',
    byProxy: { details: { proxyCode: 'upstream_auth' } },
  },
  {
    name: '402',
    play: refuse(402, { message: 'Your balance is too low.' }),
    ends: 'rate_limited',
    byProxy: { ends: 'budget_exceeded', details: { proxyCode: 'upstream_unpaid' } },
  },
  {
    name: '403',
    play: refuse(403, { message: 'Not allowed.' }),
    ends: 'model_denied',
    byProxy: { details: { proxyCode: 'upstream_denied' } },
  },
  { name: '404', play: refuse(404, { message: 'No such model.' }), ends: 'model_denied' },
  { name: '404 as a web page', play: page(404), ends: 'model_denied' },
  { name: '405', play: refuse(405, { message: 'Method not allowed.' }), ends: 'bad_request' },
  { name: '408 once', play: first(1, refuse(408, { message: 'Timeout.' })), ends: 'done', attempts: 2 },
  { name: '409 once', play: first(1, refuse(409, { message: 'Conflict.' })), ends: 'done', attempts: 2 },
  { name: '413', play: refuse(413, { message: 'Too large.' }), ends: 'bad_request' },
  { name: '422', play: refuse(422, { message: 'Unprocessable.' }), ends: 'bad_request' },
  {
    name: '400 for a conversation that is too long',
    play: refuse(400, {
      message: "This model's maximum context length is 8192 tokens.",
      code: 'context_length_exceeded',
    }),
    ends: 'context_overflow',
  },
  {
    name: '429 with Retry-After: 0, once',
    play: first(1, refuse(429, busy, { 'retry-after': '0' })),
    ends: 'done',
    attempts: 2,
  },
  { name: '429 once', play: first(1, refuse(429, busy)), ends: 'done', attempts: 2 },
  { name: '429 for ever', play: refuse(429, busy), ends: 'rate_limited', attempts: 3 },
  {
    name: '429 with Retry-After: 120',
    play: refuse(429, busy, { 'retry-after': '120' }),
    ends: 'rate_limited',
  },
  {
    name: '429 with Retry-After in the year 3000',
    play: refuse(429, busy, { 'retry-after': 'Wed, 01 Jan 3000 00:00:00 GMT' }),
    ends: 'rate_limited',
  },
  {
    name: '429 with Retry-After in the past, once',
    play: first(1, refuse(429, busy, { 'retry-after': 'Wed, 01 Jan 2020 00:00:00 GMT' })),
    ends: 'done',
    attempts: 2,
  },
  {
    name: '429 with retry-after-ms, once',
    play: first(1, refuse(429, busy, { 'retry-after-ms': '50', 'retry-after': '120' })),
    ends: 'done',
    attempts: 2,
  },
  ...['-5', 'soon', '1e999', '', 'NaN'].map((value): Fault => ({
    name: `429 with Retry-After: "${value}", once`,
    play: first(1, refuse(429, busy, { 'retry-after': value })),
    ends: 'done',
    attempts: 2,
  })),
  {
    name: '429 because the quota is used up',
    play: refuse(429, {
      message: 'You exceeded your current quota.',
      type: 'insufficient_quota',
      code: 'insufficient_quota',
    }),
    ends: 'rate_limited',
  },
  { name: '500 once', play: first(1, refuse(500, { message: 'Oops.' })), ends: 'done', attempts: 2 },
  { name: '500 for ever', play: refuse(500, { message: 'Oops.' }), ends: 'provider_error', attempts: 3 },
  { name: '501', play: refuse(501, { message: 'Not implemented.' }), ends: 'provider_error', attempts: 3 },
  { name: '502 as a web page', play: page(502), ends: 'overloaded', attempts: 3 },
  {
    name: '503 with Retry-After: 0, twice',
    play: first(2, refuse(503, { message: 'Busy.' }, { 'retry-after': '0' })),
    ends: 'done',
    attempts: 3,
  },
  { name: '504', play: refuse(504, { message: 'Gateway timeout.' }), ends: 'overloaded', attempts: 3 },
  { name: '520', play: page(520), ends: 'provider_error', attempts: 3 },
  { name: '529', play: refuse(529, { message: 'Overloaded.' }), ends: 'overloaded', attempts: 3 },
  ...[301, 302, 303, 307, 308].map((status): Fault => ({
    name: `${status} to another host`,
    play: redirect(status, 'http://169.254.169.254/latest'),
    ends: 'redirect_blocked',
    byProxy: { details: { proxyCode: 'upstream_redirect' } },
  })),
  {
    name: '307 to itself',
    play: redirect(307, 'chat/completions'),
    ends: 'redirect_blocked',
  },
  {
    name: '304',
    play: ({ response }) => void response.writeHead(304).end(),
    ends: 'provider_error',
    byProxy: { ends: 'stream_malformed', details: { proxyCode: 'upstream_malformed' } },
  },
  {
    name: '204',
    play: ({ response }) => void response.writeHead(204).end(),
    ends: 'provider_error',
    byProxy: noAnswer,
  },
  {
    name: '200 with an empty body',
    play: ({ response }) => void response.writeHead(200, { 'content-type': 'text/event-stream' }).end(),
    ends: 'stream_truncated',
    attempts: 3,
  },
  { name: '200 with a web page', play: page(200), ends: 'provider_error', byProxy: noAnswer },
  {
    name: '200 with a web page that says it is a stream',
    play: ({ response }) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end('<!doctype html>\n<title>Sign in</title>\n');
    },
    ends: 'stream_truncated',
    attempts: 3,
  },
  {
    name: '200 with an error as JSON',
    play: ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ error: { message: 'The model is not loaded.', code: 'model_not_found' } }),
      );
    },
    ends: 'model_denied',
  },
  {
    name: '200 with a whole answer as JSON, not as a stream',
    play: ({ response }) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify({ id: 'c', choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' } }] }),
      );
    },
    ends: 'provider_error',
  },
  {
    name: '200 without a content type',
    play: ({ response, answer }) => {
      response.writeHead(200);
      response.end([answer.start, ...answer.text, ...answer.call, answer.end].join(''));
    },
    ends: 'done',
    byProxy: noAnswer,
  },
  {
    name: '400 whose body never ends',
    play: ({ response }) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.write('{"error": {"message": "Bad');
    },
    ends: 'bad_request',
  },
  {
    name: '400 whose body is no JSON',
    play: ({ response }) => void response.writeHead(400, { 'content-type': 'application/json' }).end('{"err'),
    ends: 'bad_request',
  },
  {
    name: '400 whose body is no UTF-8',
    play: ({ response }) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(Buffer.from([0xff, 0xfe, 0x00, 0xc3, 0x28]));
    },
    ends: 'bad_request',
  },
  {
    name: '400 whose error is nested 20,000 deep',
    play: ({ response }) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.end(`{"error":${'['.repeat(20_000)}${']'.repeat(20_000)}}`);
    },
    ends: 'bad_request',
  },
  {
    name: '400 with a body of 50 MB',
    play: async ({ response }) => {
      response.writeHead(400, { 'content-type': 'application/json' });
      response.write('{"error":{"message":"');
      await pour(response, 'x'.repeat(1_000_000), 50);
      response.end('"}}');
    },
    ends: 'bad_request',
  },
];
