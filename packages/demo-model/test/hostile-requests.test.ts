// Scripts that try to keep the page busy: the demo model runs on the page.
import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';

/** What the demo model answers, as text. It runs in a worker: an endless answer could not be stopped here. */
function answer(call: object, limit: number): Promise<string> {
  const model = new URL('../src/index.ts', import.meta.url).href;
  const worker = new Worker(
    `const { parentPort, workerData } = require('node:worker_threads');
    import(${JSON.stringify(model)}).then(async ({ demoModel }) => {
      const { content } = await demoModel({ pace: 0 }).doGenerate(workerData);
      parentPort.postMessage(content.map((part) => part.text ?? part.input).join(''));
    });`,
    { eval: true, workerData: call, resourceLimits: { maxOldGenerationSizeMb: 512 } },
  );
  return new Promise<string>((resolve, reject) => {
    worker.once('message', resolve).once('error', reject);
    setTimeout(() => reject(new Error(`The demo model took more than ${limit} ms.`)), limit);
  }).finally(() => void worker.terminate());
}

const ask = (text: string) => [{ role: 'user', content: [{ type: 'text', text }] }];
const json = (schema: unknown) => ({ prompt: ask('Do it.'), responseFormat: { type: 'json', schema } });

const chain = Object.fromEntries(
  Array.from({ length: 30 }, (_, at) => [
    `d${at}`,
    { allOf: [{ $ref: `#/d${at + 1}` }, { $ref: `#/d${at + 1}` }] },
  ]),
);
const many = (of: (at: number) => unknown) => ({
  type: 'object',
  properties: Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`p${at}`, of(at)])),
  required: Array.from({ length: 5_000 }, (_, at) => `p${at}`),
});

test.each([
  ['a long list', { type: 'array', items: {}, minItems: 3e8 }],
  ['a long text', { type: 'string', minLength: 5e8 }],
  ['a list of lists', { type: 'array', minItems: 100, items: { $ref: '#' } }],
  ['references that double', { ...chain, d30: { type: 'string' }, $ref: '#/d0' }],
  [
    'a repetition in a repetition',
    {
      type: 'object',
      properties: { ['a'.repeat(40)]: { type: 'string', pattern: String.raw`^(\w+\s?)+!$` } },
      required: ['a'.repeat(40)],
    },
  ],
  ['many optional parts', many(() => ({ pattern: `${'a?'.repeat(30)}${'a'.repeat(30)}$` }))],
  ['many branches', many(() => ({ pattern: '^(a|b|ab|x|e)*!$' }))],
  ['many repetitions', many(() => ({ pattern: String.raw`\w*\w*\w*\w*\w*\w*!$`, minLength: 9_000 }))],
  ['a pattern for a long text', { type: 'string', pattern: '((((a{999}){999}){999}){999})' }],
  ['many allowed values', many(() => ({ enum: Array.from({ length: 100 }, (_, at) => `v${at}`) }))],
])(
  'a schema with %s gets a short answer soon',
  async (_title, schema) => {
    expect((await answer(json(schema), 15_000)).length).toBeLessThan(3_000_000);
  },
  20_000,
);

test.each([
  ['letters', 'a'],
  ['digits', '1'],
  ['dashes', '-'],
  ['line breaks', '\n'],
  ['path segments', 'a/'],
  ['addresses', 'a.b@'],
  ['links', 'http://x.'],
  ['opening quotes', '“'],
])(
  'a message of 1,000,000 %s gets an answer soon',
  async (_title, piece) => {
    const text = piece.repeat(1_000_000 / piece.length);
    const schema = { type: 'object', properties: { count: { type: 'number' } }, required: ['count'] };
    const tools = [
      { type: 'function', name: 'plan', inputSchema: schema },
      { type: 'function', name: 'createTask', inputSchema: schema },
      { type: 'function', name: 'completeTask', inputSchema: schema },
    ];
    const prompt = ask(text);
    expect(await answer({ prompt }, 15_000)).not.toBe('');
    expect(await answer({ prompt, tools: tools.slice(0, 1) }, 15_000)).not.toBe('');
    expect(await answer({ prompt, tools }, 15_000)).not.toBe('');
  },
  50_000,
);
