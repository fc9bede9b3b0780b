import { sse } from '../server/wire.ts';
import { pour, type Fault } from './fault.ts';
import { head, type Exchange, type Play } from './provider.ts';

type Call = { id?: string; name?: string; input?: string };

const line = '{"line":"once"}';

/** An answer that makes these calls, each with its whole arguments. */
function makes(...calls: Call[]): Play {
  return ({ response, answer, writer }: Exchange) => {
    head(response).write(answer.start);
    for (const [index, { id = `call_${index + 1}`, name = 'write', input = line }] of calls.entries()) {
      response.write(writer.delta({ type: 'tool-start', id, name }));
      response.write(writer.delta({ type: 'tool-input', id, text: input }));
      response.write(writer.delta({ type: 'tool-end', id, name, input }));
    }
    response.end(writer.end({ input: 5, output: 7 }));
  };
}

/** The same for Chat Completions only, because the writer of both formats cannot leave out these fields. */
function makesChatCall(call: object): Play {
  const send = (delta: object, finish_reason: string | null = null): string =>
    sse({ id: 'c', model: 'm', choices: [{ index: 0, delta, finish_reason }] });
  return ({ response }) => {
    head(response).write(send({ role: 'assistant', tool_calls: [{ index: 0, ...call }] }));
    response.end(send({}, 'tool_calls') + sse('[DONE]'));
  };
}

const call = { step: 'call' } as const;
const chatCall = { wire: 'chat', ...call } as const;
/** The model reads an error in place of a result, and the run goes on. */
const readAsError = { ends: 'done', attempts: 1, written: 0, only: call } as const;

const lines = (count: number): Call[] =>
  Array.from({ length: count }, (_none, index) => ({ input: `{"line":"${index}"}` }));

const ids: Fault[] = [
  {
    name: 'gives two calls one id',
    play: makes({ id: 'same', input: '{"line":"a"}' }, { id: 'same', input: '{"line":"b"}' }),
    ends: 'done',
    written: 2,
    only: call,
  },
  { name: 'gives a call an empty id', play: makes({ id: '' }), ends: 'done', written: 1, only: call },
  {
    name: 'gives a call the id __proto__',
    play: makes({ id: '__proto__' }),
    ends: 'done',
    written: 1,
    only: call,
  },
  {
    name: 'gives a call an id of 100 KB',
    play: makes({ id: 'x'.repeat(100_000) }),
    ends: 'done',
    written: 1,
    only: call,
  },
  {
    name: 'gives a call no id',
    play: makesChatCall({ type: 'function', function: { name: 'write', arguments: line } }),
    ends: 'done',
    written: 1,
    only: chatCall,
  },
];

const names: Fault[] = [
  ...['erase', '__proto__', 'constructor', 'toString', 'write ', 'x'.repeat(100_000)].map((name): Fault => ({
    name: `calls a tool named ${JSON.stringify(name.slice(0, 20))}`,
    play: makes({ name }),
    ...readAsError,
  })),
  {
    name: 'calls a tool without a name',
    play: makesChatCall({ id: 'call_1', type: 'function', function: { arguments: line } }),
    ends: 'stream_malformed',
    written: 0,
    only: chatCall,
  },
  {
    name: 'calls a tool with an empty name',
    play: makes({ name: '' }),
    ends: 'stream_malformed',
    written: 0,
    only: chatCall,
  },
  {
    name: 'calls a tool with an empty name, in Responses',
    play: makes({ name: '' }),
    ...readAsError,
    only: { wire: 'responses', ...call },
  },
];

const inputs: Fault[] = [
  ['no arguments', ''],
  ['arguments that are cut off', '{"line":"on'],
  ['arguments that are no JSON', 'line=once'],
  ['arguments that are a list', '["once"]'],
  ['arguments of another type', '{"line":7}'],
  ['null as arguments', 'null'],
  ['__proto__ in its arguments', '{"line":"once","__proto__":{"polluted":true}}'],
  ['arguments nested 20,000 deep', `{"line":${'['.repeat(20_000)}${']'.repeat(20_000)}}`],
  ['arguments nested 20,000 deep that are cut off', `{"line":${'['.repeat(20_000)}`],
  ['5 MB of arguments that are no JSON', `{"line":"${'x'.repeat(5_000_000)}`],
].map(([name, input]): Fault => ({
  name: `makes a call with ${name}`,
  play: makes({ input: input as string }),
  ...readAsError,
  // a proxy passes on no event of more than 1 MB, and a route ends a run whose model ignores its maximum length
  ...(input!.length > 1 << 20
    ? { byProxy: { ends: 'too_large' }, byRoute: { ends: 'budget_exceeded' } }
    : {}),
}));

const counts: Fault[] = [
  {
    name: 'makes 200 calls at once',
    play: makes(...lines(200)),
    ends: 'done',
    // limits.toolCallsPerStep
    written: 32,
    only: call,
  },
  {
    name: 'makes the same call 5 times at once',
    play: makes({}, {}, {}, {}, {}),
    ends: 'done',
    written: 1,
    only: call,
  },
  {
    name: 'never stops writing arguments',
    play: async ({ response, answer, writer }) => {
      head(response).write(answer.start);
      response.write(writer.delta({ type: 'tool-start', id: 'call_1', name: 'write' }));
      const more = writer.delta({ type: 'tool-input', id: 'call_1', text: 'x'.repeat(1_000_000) });
      await pour(response, more, Infinity);
    },
    ends: 'too_large',
    byRoute: { ends: 'budget_exceeded' },
    written: 0,
    heavy: true,
    only: chatCall,
  },
];

function cycle(): object {
  const object: Record<string, unknown> = {};
  object['self'] = object;
  return object;
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = [value];
  return value;
}

const throwing = (thrown: unknown) => (): never => {
  throw thrown;
};

/** Faults of the tool itself, after a correct answer of the model. */
const outputs: Fault[] = (
  [
    ['returns 50 MB', () => 'x'.repeat(50_000_000)],
    ['returns a cycle', cycle],
    ['returns a BigInt', () => 7n],
    ['returns a function', () => () => {}],
    ['returns 20,000 levels', () => nested(20_000)],
    ['throws null', throwing(null)],
    ['throws a symbol', throwing(Symbol('no'))],
    ['throws a frozen error', throwing(Object.freeze(new Error('No.')))],
    ['throws 10 MB', throwing(new Error('x'.repeat(10_000_000)))],
    ['never returns', () => new Promise(() => {})],
  ] satisfies [string, () => unknown][]
).map(([name, tool]): Fault => ({
  name: `is right, and the tool ${name}`,
  play: makes({}),
  tool,
  ends: 'done',
  written: 1,
  only: call,
}));

/**
 * Calls that are wrong, too many or too long, and tools that misbehave. The model reads an error, and the run goes
 * on.
 */
export const toolFaults: Fault[] = [...ids, ...names, ...inputs, ...counts, ...outputs];
