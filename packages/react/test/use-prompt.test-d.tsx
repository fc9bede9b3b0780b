import {
  definePrompt,
  tool,
  type ClientToolCallState,
  type CuelineError,
  type Run,
  type RunState,
  type SerializedError,
} from '@cueline/core';
import { usePrompt } from '@cueline/react';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

const planDay = definePrompt('plan-day', (prompt, input: { city: string }) => {
  prompt.$`Plan a day in ${input.city}.`;
});
const greet = definePrompt('greet', (prompt) => {
  prompt.$`Say hello.`;
});

test('start takes the input of the prompt', () => {
  const plan = usePrompt(planDay);
  expectTypeOf(plan.start).parameter(0).toEqualTypeOf<{ city: string }>();
  expectTypeOf(plan.run).toExtend<Run<{ city: string }>>();
  // @ts-expect-error the prompt wants a city
  void plan.start();
  // @ts-expect-error a city is a string
  void plan.start({ city: 1 });
});

test('start takes the input of the schema', () => {
  const stay = definePrompt('stay', (prompt, { city, days }) => prompt.$`Plan ${days} days in ${city}.`, {
    input: z.object({ city: z.string(), days: z.number().default(1) }),
  });
  const plan = usePrompt(stay);
  expectTypeOf(plan.start).parameter(0).toEqualTypeOf<{ city: string; days?: number | undefined }>();
  void plan.start({ city: 'Faro' });
  // @ts-expect-error the schema wants a city
  void plan.start({ days: 2 });
});

test('a prompt without input starts without any', () => {
  const run = usePrompt(greet);
  void run.start();
  void run.start(undefined, { key: 'once' });
  // @ts-expect-error a click is not what the prompt takes
  expectTypeOf(run.start).toExtend<(event: MouseEvent) => unknown>();
});

test('a function in the component has the types of a definition', () => {
  const inline = usePrompt((prompt) => {
    expectTypeOf(prompt.def).returns.toEqualTypeOf<string>();
  });
  void inline.start();
  // @ts-expect-error a prompt function without a second parameter takes no input
  void inline.start('Lisbon');
  const withInput = usePrompt((prompt, input: { topic: string }) => {
    prompt.$`Write about ${input.topic}.`;
  });
  expectTypeOf(withInput.start).parameter(0).toEqualTypeOf<{ topic: string }>();
});

test('the status decides which fields exist', () => {
  const run = usePrompt(greet);
  expectTypeOf(run).toExtend<RunState>();
  expectTypeOf(run.status).toEqualTypeOf<'idle' | 'running' | 'waiting' | 'done' | 'error' | 'stopped'>();
  const { result, error } = run;
  expectTypeOf(result).toEqualTypeOf<string | undefined>();
  expectTypeOf(error).toEqualTypeOf<SerializedError | undefined>();
  if (run.status === 'error') expectTypeOf(run.error).toEqualTypeOf<SerializedError>();
  if (run.status === 'running') expectTypeOf(run.phase).toExtend<string>();
  if (run.status === 'done') expectTypeOf(run.finishReason).toExtend<string>();
});

test('callbacks have typed arguments', () => {
  usePrompt(greet, {
    onDone: (state) => expectTypeOf(state.status).toEqualTypeOf<'done'>(),
    onError: (error) => expectTypeOf(error).toEqualTypeOf<CuelineError>(),
    onEvent: (event) => expectTypeOf(event.seq).toEqualTypeOf<number>(),
  });
  // @ts-expect-error there is no such option
  usePrompt(greet, { modell: 'simulated:demo' });
});

test('client tools have typed arguments and results', () => {
  const files = definePrompt('files', () => {}, {
    tools: [
      tool('pickFile', '', z.object({ type: z.string() }), { outputSchema: z.object({ name: z.string() }) }),
      tool('askUser', '', z.object({ question: z.string() })),
      tool('look', '', z.object({ at: z.string() }), ({ at }) => at.length),
    ],
  });
  const run = usePrompt(files, {
    tools: {
      pickFile: async (input, { signal, toolCallId }) => {
        expectTypeOf(input).toEqualTypeOf<{ type: string }>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        expectTypeOf(toolCallId).toEqualTypeOf<string>();
        return { name: 'a.txt' };
      },
      // without an outputSchema, any JSON
      askUser: ({ question }) => question.length,
    },
  });
  for (const call of run.toolCalls) {
    if (call.toolName === 'pickFile') expectTypeOf(call.output).toEqualTypeOf<{ name: string } | undefined>();
    if (call.toolName === 'look') expectTypeOf(call.output).toEqualTypeOf<number | undefined>();
  }
  for (const call of run.clientToolCalls) {
    expectTypeOf(call.toolName).toEqualTypeOf<'pickFile' | 'askUser'>();
    if (call.toolName === 'askUser') expectTypeOf(call.input).toEqualTypeOf<{ question: string }>();
    if (call.toolName === 'pickFile') expectTypeOf(call.input).toEqualTypeOf<{ type: string }>();
  }
  // @ts-expect-error a file has a name
  usePrompt(files, { tools: { pickFile: () => ({ nam: 'a.txt' }) } });
  // @ts-expect-error no such client tool
  usePrompt(files, { tools: { pickFiles: () => ({ name: 'a.txt' }) } });
  // @ts-expect-error its function is the prompt's
  usePrompt(files, { tools: { look: () => 1 } });
  // @ts-expect-error its arguments have a type, and no name
  usePrompt(files, { tools: { pickFile: ({ name }) => ({ name }) } });
});

test('a client tool returns what its outputSchema reads, and its call has what the schema makes of it', () => {
  const pick = definePrompt('pick', () => {}, {
    tools: [
      tool('pickPrice', '', z.object({}), {
        outputSchema: z.object({
          cents: z.string().transform((euros) => Number(euros) * 100),
          currency: z.string().default('EUR'),
        }),
      }),
    ],
  });
  const run = usePrompt(pick, { tools: { pickPrice: () => ({ cents: '4.50' }) } });
  expectTypeOf(run.toolCalls[0]?.output).toEqualTypeOf<{ cents: number; currency: string } | undefined>();
  // @ts-expect-error the schema reads a text
  usePrompt(pick, { tools: { pickPrice: () => ({ cents: 450, currency: 'EUR' }) } });
});

test('client tools that the function defines are typed in the page', () => {
  const { clientToolCalls } = usePrompt(greet, {
    tools: {
      pickFile: (input) => expectTypeOf(input).toEqualTypeOf<unknown>(),
      askUser: ({ question }: { question: string }) => question.length,
    },
  });
  expectTypeOf(clientToolCalls).toEqualTypeOf<ClientToolCallState[]>();
  // @ts-expect-error a client tool is a function
  usePrompt(greet, { tools: { pickFile: 'a.txt' } });
});

test('one of several prompts has what they have in common', () => {
  const input = z.object({ text: z.string() });
  const explain = definePrompt('explain', () => {}, {
    input,
    tools: [
      tool('look', '', z.object({ at: z.string() }), ({ at }) => at.length),
      tool('askUser', '', z.object({ question: z.string() })),
    ],
  });
  const review = definePrompt('review', () => {}, {
    input,
    output: z.object({ faults: z.array(z.string()) }),
  });
  const run = usePrompt(Math.random() > 0.5 ? explain : review, {
    tools: { askUser: ({ question }: { question: string }) => question.length },
    onDone: ({ result }) => expectTypeOf(result).toEqualTypeOf<string | { faults: string[] }>(),
  });
  expectTypeOf(run.text).toEqualTypeOf<string>();
  expectTypeOf(run.object?.faults?.[0]).toEqualTypeOf<string | undefined>();
  expectTypeOf(run.start).parameter(0).toEqualTypeOf<{ text: string }>();
  expectTypeOf<Awaited<ReturnType<typeof run.start>>>().toEqualTypeOf<string | { faults: string[] }>();
  if (run.status === 'done') expectTypeOf(run.result).toEqualTypeOf<string | { faults: string[] }>();
  // @ts-expect-error both take a text
  void run.start();
  expectTypeOf<ReturnType<typeof usePrompt<{ text: string }>>['start']>()
    .parameter(0)
    .toEqualTypeOf<{ text: string }>();
  const { status } = usePrompt([greet, explain, review][0]!, { watch: ['status'] });
  expectTypeOf(status).toEqualTypeOf<RunState['status']>();
  const different = usePrompt(Math.random() > 0.5 ? greet : review);
  // @ts-expect-error one takes a text, the other nothing: only one of them can be started at a time
  void different.start({ text: 'x' });
});
