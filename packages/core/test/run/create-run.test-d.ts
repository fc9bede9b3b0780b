import {
  createRun,
  definePlugin,
  definePrompt,
  runPrompt,
  tool,
  type PromptDefinition,
  type Run,
  type RunState,
  type TextPrompt,
  type SerializedError,
} from '@cueline/core';
import { Output } from 'ai';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

const trip = z.object({ city: z.string(), stops: z.array(z.object({ name: z.string() })) });
type Trip = { city: string; stops: { name: string }[] };
type PartialTrip = { city?: string; stops?: ({ name?: string } | undefined)[] };

const look = tool('look', 'Looks', z.object({ what: z.string() }), async ({ what }) => what.length);
const count = tool('count', 'Counts', z.object({ to: z.number() }), async function* ({ to }) {
  yield { n: to };
});
const plugin = definePlugin({ name: 'counter', setup: () => ({ countTo: (n: number) => `${n}` }) });

const plain = definePrompt('plain', (prompt) => prompt.$`Hi.`);
const plan = definePrompt(
  'plan',
  (prompt, input: { days: number }) => {
    expectTypeOf(prompt.countTo).toEqualTypeOf<(n: number) => string>();
    prompt.$`Plan ${input.days} days.`;
  },
  { output: trip, tools: [look, count], plugins: [plugin], model: 'm' },
);

test('a definition knows its input, and nothing of it is any', () => {
  expectTypeOf(plain).toEqualTypeOf<PromptDefinition<void, TextPrompt>>();
  const run = createRun(plain);
  expectTypeOf(run).toEqualTypeOf<Run<void, TextPrompt>>();
  expectTypeOf(createRun(plan).start).parameter(0).toEqualTypeOf<{ days: number }>();
  void run.start();
  void createRun(plan).start({ days: 3 }, { key: 'a', whenBusy: 'queue' });
  // @ts-expect-error the prompt takes an input
  void createRun(plan).start();
  // @ts-expect-error days are a number
  void createRun(plan).start({ days: 'three' });
  // @ts-expect-error there is no such way
  void run.start(undefined, { whenBusy: 'later' });
  // @ts-expect-error a turn without visible messages is not allowed
  void run.send('More.', { whenBusy: 'parallel' });
});

test('start, send and retry resolve with the answer', () => {
  const run = createRun(plan);
  expectTypeOf(run.start({ days: 1 })).resolves.toEqualTypeOf<Trip>();
  expectTypeOf(run.send('More.')).resolves.toEqualTypeOf<Trip>();
  expectTypeOf(run.retry({ from: 1 })).resolves.toEqualTypeOf<Trip>();
  expectTypeOf(createRun(plain).start()).resolves.toEqualTypeOf<string>();
  expectTypeOf(run.fork(3)).toEqualTypeOf(run);
});

test('the state has the partial and the whole object', () => {
  const state = createRun(plan).getState();
  expectTypeOf(state.object).toEqualTypeOf<PartialTrip | undefined>();
  expectTypeOf(createRun(plan).at(3)).toEqualTypeOf(state);
  if (state.status === 'done') expectTypeOf(state.result).toEqualTypeOf<Trip>();
  const { result, error } = state;
  expectTypeOf(result).toEqualTypeOf<Trip | undefined>();
  expectTypeOf(error).toEqualTypeOf<SerializedError | undefined>();
  expectTypeOf(createRun(plain).getState().object).toEqualTypeOf<undefined>();
  createRun(plan).subscribe(({ object }) => expectTypeOf(object).toEqualTypeOf<PartialTrip | undefined>());
});

test('its tool calls are distinguished by their names', () => {
  const [call] = createRun(plan).getState().toolCalls;
  expectTypeOf(call!.toolName).toEqualTypeOf<'look' | 'count'>();
  if (call?.toolName === 'look') {
    expectTypeOf(call.input).toEqualTypeOf<{ what: string } | undefined>();
    expectTypeOf(call.partialInput).toEqualTypeOf<{ what?: string } | undefined>();
    expectTypeOf(call.output).toEqualTypeOf<number | undefined>();
  }
  if (call?.toolName === 'count') {
    expectTypeOf(call.input).toEqualTypeOf<{ to: number } | undefined>();
    expectTypeOf(call.output).toEqualTypeOf<{ n: number } | undefined>();
  }
  // @ts-expect-error there is no such tool
  void (call?.toolName === 'dance');
  const [other] = createRun(plain).getState().toolCalls;
  expectTypeOf(other!.toolName).toEqualTypeOf<string>();
  expectTypeOf(other!.input).toEqualTypeOf<unknown>();
});

test('any run is assignable to Run', () => {
  const states: RunState[] = [createRun(plan).getState(), createRun(plain).getState()];
  const runs: Run<never>[] = [createRun(plan), createRun(plain)];
  expectTypeOf(states[0]!.object).toEqualTypeOf<unknown>();
  expectTypeOf(runs[0]!.getState().toolCalls[0]!.input).toEqualTypeOf<unknown>();
});

test('declared tools come from tool(…), and the output is a schema', () => {
  // @ts-expect-error a function by itself is no tool
  definePrompt('x', (prompt) => prompt.$`Hi.`, { tools: [() => 1] });
  // @ts-expect-error a text is no schema
  definePrompt('x', (prompt) => prompt.$`Hi.`, { output: 'trip' });
  const list = definePrompt('x', (prompt) => prompt.$`Hi.`, { output: z.array(z.number()) });
  expectTypeOf(createRun(list).start()).resolves.toEqualTypeOf<number[]>();
});

test('runPrompt gives the object of a definition that has one', async () => {
  const { result, prompt } = await runPrompt(plan, { model: 'm', input: { days: 1 } });
  expectTypeOf(result.output).resolves.toEqualTypeOf<Trip>();
  expectTypeOf(result.text).resolves.toEqualTypeOf<string>();
  expectTypeOf(prompt).not.toBeAny();
  const text = await runPrompt(plain, { model: 'm' });
  expectTypeOf(text.result.output).resolves.toEqualTypeOf<string>();
  const asked = await runPrompt(plain, { model: 'm', options: { output: Output.object({ schema: trip }) } });
  expectTypeOf(asked.result.output).resolves.toEqualTypeOf<Trip>();
  // @ts-expect-error the prompt takes an input
  void runPrompt(plan, { model: 'm' });
});
