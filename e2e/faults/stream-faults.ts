import { sse } from '../server/wire.ts';
import { first, sleep, untilRead, type Fault } from './fault.ts';
import { head, whole, type Exchange, type Play } from './provider.ts';

/** Sends these events, and then does something else. */
function after(pieces: (exchange: Exchange) => string[], then: (exchange: Exchange) => void): Play {
  return async (exchange) => {
    head(exchange.response).write(pieces(exchange).join(''));
    await (then === reset ? untilRead() : sleep(20));
    then(exchange);
  };
}

const nothing = (): string[] => [];
const started = ({ answer }: Exchange): string[] => [answer.start];
const someText = ({ answer }: Exchange): string[] => [answer.start, answer.text[0] ?? ''];
const halfArguments = ({ answer }: Exchange): string[] => [
  answer.start,
  ...answer.text,
  ...answer.call.slice(0, 2),
];
const noFinish = ({ answer }: Exchange): string[] => [answer.start, ...answer.text, ...answer.call];
const everything = ({ answer }: Exchange): string[] => [whole(answer)];
/** A whole answer with this between its text and its call. */
const withExtra =
  (piece: string) =>
  ({ answer }: Exchange): string[] => [answer.start, ...answer.text, piece, ...answer.call, answer.end];

const end = ({ response }: Exchange): void => void response.end();
const reset = ({ socket }: Exchange): void => void socket.resetAndDestroy();
const silence = (): void => {};
/** Sends data without content until the reader disconnects. */
const forever =
  (piece: (exchange: Exchange) => string) =>
  (exchange: Exchange): void => {
    const { response } = exchange;
    const timer = setInterval(() => {
      if (response.destroyed) clearInterval(timer);
      else response.write(piece(exchange));
    }, 30);
    response.on('close', () => clearInterval(timer));
  };
const comment = (): string => ': keep-alive\n\n';
const emptyDelta = ({ writer }: Exchange): string => writer.delta({ type: 'text', text: '' });
const call = { step: 'call' } as const;

const cuts: Fault[] = [
  { name: 'ends before anything', play: after(nothing, end), ends: 'stream_truncated', attempts: 3 },
  { name: 'ends before anything, once', play: first(1, after(nothing, end)), ends: 'done', attempts: 2 },
  { name: 'ends after its first event', play: after(started, end), ends: 'stream_truncated', attempts: 3 },
  { name: 'ends inside the text', play: after(someText, end), ends: 'stream_truncated' },
  {
    name: 'ends inside the arguments',
    play: after(halfArguments, end),
    ends: 'stream_truncated',
    only: call,
  },
  { name: 'ends without a finish', play: after(noFinish, end), ends: 'stream_truncated' },
  { name: 'resets before anything', play: after(nothing, reset), ends: 'stream_truncated', attempts: 3 },
  { name: 'resets inside the text', play: after(someText, reset), ends: 'stream_truncated' },
  {
    name: 'resets inside the arguments',
    play: after(halfArguments, reset),
    ends: 'stream_truncated',
    only: call,
  },
  {
    name: 'ends inside an event',
    play: after(({ answer }) => [answer.start, (answer.text[0] ?? '').slice(0, -20)], end),
    ends: 'stream_truncated',
    attempts: 3,
  },
  {
    name: 'says [DONE] without a finish',
    play: after(({ answer }) => [answer.start, ...answer.text, 'data: [DONE]\n\n'], end),
    ends: 'stream_truncated',
  },
  {
    name: 'goes on for ever after its finish',
    play: after(everything, forever(comment)),
    ends: 'done',
  },
  { name: 'keeps the connection open after its finish', play: after(everything, silence), ends: 'done' },
];

const idle = { phase: 'chunk' };
const silences: Fault[] = [
  {
    name: 'falls silent before anything',
    play: after(nothing, silence),
    ends: 'timeout',
    details: { phase: 'first_chunk' },
  },
  {
    name: 'falls silent after its first event',
    play: after(started, silence),
    ends: 'timeout',
    details: { phase: 'first_chunk' },
  },
  { name: 'falls silent inside the text', play: after(someText, silence), ends: 'timeout', details: idle },
  {
    name: 'falls silent inside the arguments',
    play: after(halfArguments, silence),
    ends: 'timeout',
    details: idle,
    only: call,
  },
  { name: 'falls silent before its finish', play: after(noFinish, silence), ends: 'timeout', details: idle },
  {
    name: 'sends comments for ever before anything',
    play: after(nothing, forever(comment)),
    ends: 'timeout',
    details: { phase: 'first_chunk' },
  },
  {
    name: 'sends comments for ever inside the text',
    play: after(someText, forever(comment)),
    ends: 'timeout',
    details: idle,
  },
  {
    name: 'sends empty deltas for ever',
    play: after(someText, forever(emptyDelta)),
    ends: 'timeout',
    details: idle,
  },
  {
    name: 'sends its answer in single bytes, with pauses',
    play: async ({ response, answer }) => {
      head(response);
      const bytes = Buffer.from(whole(answer));
      const size = Math.ceil(bytes.length / 40);
      for (let at = 0; at < bytes.length; at += size) {
        response.write(bytes.subarray(at, at + size));
        await sleep(5);
      }
      response.end();
    },
    ends: 'done',
  },
];

const malformed: Fault[] = [
  {
    name: 'sends an event that is no JSON first',
    play: after(({ answer }) => ['data: {"choices": [{]}\n\n', whole(answer)], end),
    ends: 'stream_malformed',
  },
  {
    name: 'sends an event that is no JSON inside the text',
    play: after(withExtra('data: {"choices": [{]}\n\n'), end),
    ends: 'stream_malformed',
  },
  {
    name: 'sends an event of another shape',
    play: after(withExtra(sse({ choices: 7, type: 9 })), end),
    ends: 'stream_malformed',
  },
  {
    name: 'sends null as an event',
    play: after(withExtra('data: null\n\n'), end),
    ends: 'stream_malformed',
  },
  {
    name: 'sends an error first',
    play: after(({ writer }) => [writer.fail('The server had an error.')], end),
    ends: 'provider_error',
    attempts: 3,
  },
  {
    name: 'sends an error first, once',
    play: first(
      1,
      after(({ writer }) => [writer.fail('The server had an error.')], end),
    ),
    ends: 'done',
    attempts: 2,
  },
  {
    name: 'sends an error inside the text',
    play: after((exchange) => [...someText(exchange), exchange.writer.fail('The server had an error.')], end),
    ends: 'provider_error',
  },
  {
    name: 'sends an error that repeats the key',
    play: after(
      (exchange) => [...someText(exchange), exchange.writer.fail('Bad key sk-fault-0123456789abcdef.')],
      end,
    ),
    ends: 'provider_error',
  },
  {
    name: 'begins with a byte order mark',
    play: after(({ answer }) => [`\u{feff}${whole(answer)}`], end),
    ends: 'done',
  },
  {
    name: 'ends its lines with CRLF',
    play: after(({ answer }) => [whole(answer).replaceAll('\n', '\r\n')], end),
    ends: 'done',
  },
  {
    name: 'ends its lines with CR',
    play: after(({ answer }) => [whole(answer).replaceAll('\n', '\r')], end),
    ends: 'done',
    // the last line end may be incomplete, and the next character is lost
    only: { wire: 'chat' },
  },
  {
    name: 'leaves out the space after the colon',
    play: after(({ answer }) => [whole(answer).replaceAll('data: ', 'data:')], end),
    ends: 'done',
  },
  {
    name: 'sends comments, retry and id fields between',
    play: after(
      ({ answer }) => [whole(answer).replaceAll('\n\n', '\n\n: ping\n\nretry: 10\nid: 7\n\n')],
      end,
    ),
    ends: 'done',
  },
  {
    name: 'sends bytes that are no UTF-8',
    play: async ({ response, answer }) => {
      head(response);
      response.write(answer.start);
      response.write(Buffer.from([0x3a, 0xff, 0xfe, 0xc3, 0x28, 0x0a, 0x0a]));
      response.end([...answer.text, ...answer.call, answer.end].join(''));
    },
    ends: 'done',
  },
];

/** Parts of a stream that only Chat Completions has. */
const chat = (delta: object, finish_reason: string | null = null, more: object = {}): string =>
  sse({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason }], ...more });
const done = 'data: [DONE]\n\n';
const only = { wire: 'chat' } as const;
const say = (content: string): string => chat({ role: 'assistant', content });
const calls = (input: string, more: object = {}): string =>
  chat({
    role: 'assistant',
    tool_calls: [
      { index: 0, id: 'call_1', type: 'function', function: { name: 'write', arguments: input }, ...more },
    ],
  });
const sends = (...events: string[]): Play => after(() => events, end);

const refusal = 'I cannot help with that.';
const response = { id: 'r', object: 'response', created_at: 1, model: 'm', output: [] };
const message = { id: 'msg', type: 'message', role: 'assistant' };
const position = { item_id: 'msg', output_index: 0, content_index: 0 };
/** A refusal as the Responses format has it: a part of another type than text. */
const refusedResponse = [
  { type: 'response.created', response },
  {
    type: 'response.output_item.added',
    output_index: 0,
    item: { ...message, status: 'in_progress', content: [] },
  },
  { type: 'response.content_part.added', ...position, part: { type: 'refusal', refusal: '' } },
  { type: 'response.refusal.delta', ...position, delta: refusal },
  { type: 'response.refusal.done', ...position, refusal },
  {
    type: 'response.output_item.done',
    output_index: 0,
    item: { ...message, status: 'completed', content: [{ type: 'refusal', refusal }] },
  },
  {
    type: 'response.completed',
    response: {
      ...response,
      status: 'completed',
      usage: { input_tokens: 5, output_tokens: 7, total_tokens: 12 },
    },
  },
].map((event, sequence_number) => sse({ ...event, sequence_number }, event.type));

const finishes: Fault[] = [
  {
    name: 'finishes with length inside the text',
    play: sends(say('I'), chat({}, 'length'), done),
    ends: 'done',
    only: { ...only, step: 'answer' },
  },
  {
    name: 'finishes with length inside a call',
    play: sends(calls('{"li'), chat({}, 'length'), done),
    ends: 'stream_truncated',
    only: { ...only, ...call },
  },
  {
    name: 'finishes with length before anything',
    play: sends(chat({}, 'length'), done),
    ends: 'stream_truncated',
    only,
  },
  {
    name: 'finishes with content_filter before anything',
    play: sends(chat({}, 'content_filter'), done),
    ends: 'content_filter',
    only,
  },
  {
    name: 'finishes with content_filter inside the text',
    play: sends(say('I'), chat({}, 'content_filter'), done),
    ends: 'content_filter',
    only,
  },
  {
    name: 'refuses in words',
    play: sends(
      chat({ role: 'assistant', refusal: 'I cannot ' }),
      chat({ refusal: 'help with that.' }),
      chat({}, 'stop'),
      done,
    ),
    ends: 'content_filter',
    only,
  },
  {
    name: 'refuses in words, in Responses',
    play: sends(...refusedResponse),
    ends: 'content_filter',
    only: { wire: 'responses' },
  },
  {
    name: 'finishes with a word that is unknown',
    play: sends(say('Done.'), chat({}, 'eos_token'), done),
    ends: 'done',
    only: { ...only, step: 'answer' },
  },
  {
    name: 'finishes twice',
    play: sends(say('Done.'), chat({}, 'stop'), chat({}, 'stop'), done),
    ends: 'done',
    only: { ...only, step: 'answer' },
  },
  {
    name: 'speaks after [DONE]',
    play: sends(say('Done.'), chat({}, 'stop'), done, say(' More.')),
    ends: 'done',
    only: { ...only, step: 'answer' },
  },
  ...(['missing', 'negative', '1e308', 'text'] as const).map((kind): Fault => {
    const count = { missing: undefined, negative: -5, '1e308': 1e308, text: '12' }[kind];
    const usage = { prompt_tokens: count, completion_tokens: count, total_tokens: count };
    return {
      name: `reports usage that is ${kind}`,
      play: sends(say('Done.'), chat({}, 'stop', { usage }), done),
      ends: kind === 'text' ? 'stream_malformed' : 'done',
      only: { ...only, step: 'answer' },
    };
  }),
];

export const streamFaults: Fault[] = [...cuts, ...silences, ...malformed, ...finishes];
