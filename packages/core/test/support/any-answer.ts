import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import { convertArrayToReadableStream } from 'ai/test';
import { dynamicTool, jsonSchema, tool, type ToolSet } from 'ai';
import fc from 'fast-check';
import * as z from 'zod';

export type StreamPart = LanguageModelV4StreamPart;
/** The parts of one model call between its start and its finish. */
export type Answer = readonly StreamPart[];
type Metadata = { providerMetadata?: Record<string, { id: string }> };

const metadata: fc.Arbitrary<Metadata> = fc.oneof(
  { weight: 2, arbitrary: fc.constant({}) },
  {
    weight: 1,
    arbitrary: fc.string({ maxLength: 3 }).map((id) => ({ providerMetadata: { maker: { id } } })),
  },
);
const words = fc.oneof(fc.constantFrom('', 'One ', 'two, ', 'é🌞'), fc.string({ maxLength: 5 }));
const url = fc.constantFrom('https://example.com/a', 'https://example.com/b?c=d');

/** A law says of parts that stand together what it says of them apart, so each kind of block is made by itself. */
type Block = (n: number) => fc.Arbitrary<Answer>;

function text(type: 'text' | 'reasoning'): Block {
  const citation = url.map((at) => ({
    source: { type: 'source' as const, sourceType: 'url' as const, id: at, url: at },
    citedText: 'so it is',
  }));
  return (n) =>
    fc
      .record({
        begin: metadata,
        deltas: fc.array(fc.tuple(words, metadata), { maxLength: 4 }),
        end: metadata,
        citations: fc.option(fc.array(citation, { maxLength: 2 }), { nil: undefined }),
      })
      .map(({ begin, deltas, end, citations }) => [
        { type: `${type}-start`, id: `${n}`, ...begin },
        ...deltas.map(([delta, more]) => ({ type: `${type}-delta` as const, id: `${n}`, delta, ...more })),
        {
          type: `${type}-end`,
          id: `${n}`,
          ...end,
          ...(type === 'text' && citations !== undefined ? { citations } : {}),
        },
      ]);
}

function one<Part extends StreamPart>(part: fc.Arbitrary<Part>): Block {
  return () => fc.tuple(part, metadata).map(([given, more]) => [{ ...given, ...more }]);
}

type Called = { toolName: string; input: unknown; inputEncoding?: 'text' };

/** A call, with its arguments as they arrive or all at once. */
function call(
  made: (n: number) => fc.Arbitrary<Called>,
  facts: { providerExecuted?: boolean; dynamic?: boolean } = {},
): Block {
  return (n) =>
    fc
      .record({
        called: made(n),
        streams: fc.boolean(),
        at: fc.nat({ max: 9 }),
        begin: metadata,
        end: metadata,
      })
      .map(({ called: { toolName, input, inputEncoding }, streams, at, begin, end }) => {
        const id = `call-${n}`;
        const whole = JSON.stringify(input);
        const shown = inputEncoding === 'text' ? String(input) : whole;
        const arrives: Answer = [
          {
            type: 'tool-input-start',
            id,
            toolName,
            ...facts,
            ...begin,
            ...(inputEncoding && { inputEncoding }),
          },
          ...[shown.slice(0, at), shown.slice(at)].map((delta) => ({
            type: 'tool-input-delta' as const,
            id,
            delta,
          })),
          { type: 'tool-input-end', id },
        ];
        const made: StreamPart = {
          type: 'tool-call',
          toolCallId: id,
          toolName,
          input: whole,
          ...facts,
          ...end,
        };
        return streams || inputEncoding !== undefined ? [...arrives, made] : [made];
      });
}

/** A call that the provider runs, with what comes of it. */
const elsewhere: Block = (n) =>
  fc
    .tuple(
      call(() => fc.constant({ toolName: 'search', input: { n } }), {
        providerExecuted: true,
        dynamic: true,
      })(n),
      fc.array(fc.constantFrom('a', 'b'), { maxLength: 2 }),
      fc.boolean(),
      fc.oneof(fc.constant('found'), fc.constant({ found: 1 }), fc.constant([{ at: 'a' }])),
      metadata,
    )
    .map(([parts, previews, isError, result, more]) => {
      const about = {
        type: 'tool-result' as const,
        toolCallId: `call-${n}`,
        toolName: 'search',
        dynamic: true,
      };
      return [
        ...parts,
        ...previews.map((preview) => ({ ...about, result: preview, preliminary: true })),
        { ...about, result, ...(isError ? { isError } : {}), ...more },
      ];
    });

const picture = fc.constantFrom('iVBORw0KGgo=', new Uint8Array([1, 2, 3])).map((data) => ({
  mediaType: 'image/png',
  data: { type: 'data' as const, data },
}));

const blocks: readonly Block[] = [
  text('text'),
  text('reasoning'),
  one(fc.constantFrom('maker.compaction', 'maker.fallback').map((kind) => ({ type: 'custom', kind }))),
  one(picture.map((file) => ({ type: 'file', ...file }))),
  one(picture.map((file) => ({ type: 'reasoning-file', ...file }))),
  one(
    url.map((at) => ({
      type: 'source',
      sourceType: 'url',
      id: at,
      url: at,
      title: 'A page',
    })) as fc.Arbitrary<Extract<StreamPart, { type: 'source' }>>,
  ),
  one(
    fc.constant<Extract<StreamPart, { type: 'source' }>>({
      type: 'source',
      sourceType: 'document',
      id: 'd',
      mediaType: 'application/pdf',
      title: 'A paper',
      filename: 'paper.pdf',
    }),
  ),
  call((n) =>
    fc
      .constantFrom('look', 'fail', 'steps', 'nothing', 'remote')
      .map((toolName) => ({ toolName, input: { n } })),
  ),
  call((n) => fc.constantFrom('look', 'remote').map((toolName) => ({ toolName, input: { n: `${n}` } }))),
  call((n) => fc.constant({ toolName: 'teleport', input: { n } })),
  call((n) => fc.constant({ toolName: 'write', input: `line ${n}\n"quoted"`, inputEncoding: 'text' })),
  elsewhere,
];

/** What says nothing of the answer itself, and may stand anywhere. */
const asides: fc.Arbitrary<StreamPart> = fc.constantFrom<StreamPart>(
  { type: 'ping' },
  { type: 'raw', rawValue: { a: 1 } },
  { type: 'response-metadata', id: 'r', modelId: 'm' },
);

/** Every type of part, so that a new one of the AI SDK does not compile before it has a place above. */
export const partTypes: Record<StreamPart['type'], 'generated' | 'of each call' | 'by itself'> = {
  'text-start': 'generated',
  'text-delta': 'generated',
  'text-end': 'generated',
  'reasoning-start': 'generated',
  'reasoning-delta': 'generated',
  'reasoning-end': 'generated',
  'tool-input-start': 'generated',
  'tool-input-delta': 'generated',
  'tool-input-end': 'generated',
  'tool-call': 'generated',
  'tool-result': 'generated',
  // the AI SDK ends its run with it, and ours waits: see provider-approvals.test.ts
  'tool-approval-request': 'by itself',
  custom: 'generated',
  file: 'generated',
  'reasoning-file': 'generated',
  source: 'generated',
  'stream-start': 'of each call',
  'response-metadata': 'generated',
  finish: 'of each call',
  ping: 'generated',
  raw: 'generated',
  error: 'generated',
};

/** The answers of a model, one for each call; each of their calls has arguments of its own, so that none is a repetition. */
export const anyAnswers: fc.Arbitrary<Answer[]> = fc
  .array(fc.array(fc.nat({ max: blocks.length - 1 }), { maxLength: 4 }), { minLength: 1, maxLength: 3 })
  .chain((kinds) => {
    let n = 0;
    return fc.tuple(...kinds.map((answer) => interleaved(answer.map((kind) => blocks[kind]!((n += 1))))));
  });

/** The parts of all blocks: each in its own order, and mixed. */
function interleaved(made: readonly fc.Arbitrary<Answer>[]): fc.Arbitrary<Answer> {
  return fc
    .tuple(
      fc.tuple(...made),
      fc.array(fc.nat(), { maxLength: 30 }),
      fc.array(asides, { maxLength: 2 }),
      fc.boolean(),
    )
    .map(([given, picks, said, apart]) => {
      const queues = [...given, said].map((parts) => [...parts]);
      const answer: StreamPart[] = [];
      for (let turn = 0; queues.some((queue) => queue.length > 0); turn += 1) {
        const left = queues.filter((queue) => queue.length > 0);
        const queue = apart ? left[0]! : left[(picks[turn % picks.length] ?? 0) % left.length]!;
        answer.push(queue.shift()!);
      }
      return answer;
    });
}

const usage: Extract<StreamPart, { type: 'finish' }>['usage'] = {
  inputTokens: { total: 3, noCache: 3, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 4, text: 4, reasoning: undefined },
};

/** A model that gives these answers, one for each call, and then no more than a text. */
export function modelOf(
  answers: readonly Answer[],
): LanguageModelV4 & { calls: LanguageModelV4CallOptions[] } {
  const calls: LanguageModelV4CallOptions[] = [];
  return {
    specificationVersion: 'v4',
    provider: 'maker',
    modelId: 'any',
    supportedUrls: {},
    calls,
    doGenerate: () => Promise.reject(new Error('It only streams.')),
    async doStream(options) {
      // the AI SDK and we write no further into what a call was sent
      calls.push(options);
      const answer = answers[calls.length - 1] ?? [
        { type: 'text-start', id: 'end' },
        { type: 'text-delta', id: 'end', delta: 'That is all.' },
        { type: 'text-end', id: 'end' },
      ];
      const calledHere = answer.some((part) => part.type === 'tool-call' && part.providerExecuted !== true);
      const failed = answer.some(({ type }) => type === 'error');
      const reason = failed ? 'error' : calledHere ? 'tool-calls' : 'stop';
      return {
        stream: convertArrayToReadableStream<StreamPart>([
          { type: 'stream-start', warnings: [] },
          ...answer,
          {
            type: 'finish',
            finishReason: { unified: reason, raw: reason },
            usage,
            providerMetadata: { maker: { id: 'whole' } },
          },
        ]),
      };
    },
  };
}

const n = z.object({ n: z.number() });

const own = {
  look: tool({ title: 'Look', inputSchema: n, execute: ({ n }) => ({ seen: n }) }),
  fail: tool({
    inputSchema: n,
    execute: (): string => {
      throw new Error('out of order');
    },
  }),
  steps: tool({
    inputSchema: n,
    async *execute() {
      yield 'half';
      yield 'whole';
    },
  }),
  nothing: tool({ inputSchema: n, execute: () => undefined }),
  write: tool({ inputSchema: z.string(), execute: (line) => line.length }),
  remote: dynamicTool({
    inputSchema: jsonSchema({
      type: 'object',
      properties: { n: { type: 'number' } },
      required: ['n'],
    }),
    metadata: { server: 'notes' },
    execute: async () => ({ content: [{ type: 'text', text: 'noted' }] }),
    toModelOutput: ({ output }) => ({
      type: 'content',
      value: (output as { content: { type: 'text'; text: string }[] }).content,
    }),
  }),
};

/** The tools of these calls, one of each kind that the AI SDK has. */
export const tools: ToolSet = own;
