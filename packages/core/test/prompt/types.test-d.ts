import {
  createRun,
  definePlugin,
  definePrompt,
  runPrompt,
  tool,
  type Definitions,
  type EditReply,
  type HookVariable,
  type RunHandle,
  type Plugin,
  type PluginMethods,
  type Prompt,
  type RunEvent,
  type RunState,
  type TaskItem,
  type ToolSchema,
} from '@cueline/core';
import { Output, type Instructions, type jsonSchema, type LanguageModel, type ModelMessage } from 'ai';
import { type } from 'arktype';
import * as v from 'valibot';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';
import * as z3 from 'zod/v3';

declare const prompt: Prompt;

test('a misspelt setting of a prompt is a type error', () => {
  const input = z.object({ city: z.string() });
  // @ts-expect-error output
  definePrompt('plan', () => {}, { input, ouput: input });
  // @ts-expect-error tools
  definePrompt('plan', () => {}, { model: 'fast', tool: [] });
  const settings = { input, output: input };
  const plan = definePrompt('plan', (_, { city }) => void city.length, settings);
  expectTypeOf(createRun(plan).start).returns.toEqualTypeOf<Promise<{ city: string }>>();
});

test('tool arguments come from the schema', () => {
  prompt.defTool('a', '', z.object({ city: z.string(), days: z.number().optional() }), (args, context) => {
    expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number | undefined }>();
    expectTypeOf(context.toolCallId).toEqualTypeOf<string>();
    expectTypeOf(context.abortSignal).toEqualTypeOf<AbortSignal | undefined>();
  });
  prompt.defTool('b', '', {} as ReturnType<typeof jsonSchema<{ n: number }>>, (args) => {
    expectTypeOf(args).toEqualTypeOf<{ n: number }>();
  });
  prompt.defTool('e', '', v.object({ city: v.string() }), (args) => {
    expectTypeOf(args).toEqualTypeOf<{ city: string }>();
  });
  prompt.defTool('f', '', type({ city: 'string' }), (args) => {
    expectTypeOf(args).toEqualTypeOf<{ city: string }>();
  });
  prompt.defTool('g', '', z3.object({ city: z3.string() }), (args) => {
    expectTypeOf(args).toEqualTypeOf<{ city: string }>();
  });
  prompt.defTool('c', '', { type: 'object' }, (args) => {
    expectTypeOf(args).toEqualTypeOf<unknown>();
  });
  // @ts-expect-error the schema says city
  prompt.defTool('d', '', z.object({ city: z.string() }), ({ town }) => town);
});

test('a tool’s outputSchema types the results of its calls', () => {
  const plan = definePrompt('plan', (p) => p.$`Plan.`, {
    tools: [
      tool('price', '', z.object({ product: z.string() }), async (): Promise<unknown> => fetch('/price'), {
        outputSchema: z.object({ price: z.number().default(0) }),
        effect: 'read',
      }),
      tool('look', '', z.object({}), () => 'seen', { effect: 'read' }),
    ],
  });
  const [call] = createRun(plan).getState().toolCalls;
  expectTypeOf(call!.toolName).toEqualTypeOf<'price' | 'look'>();
  if (call?.toolName === 'price') expectTypeOf(call.output).toEqualTypeOf<{ price: number } | undefined>();
  if (call?.toolName === 'look') expectTypeOf(call.output).toEqualTypeOf<string | undefined>();
});

test('a definition has the input of its function', () => {
  const plan = definePrompt('plan', (p, input: { city: string }) => {
    p.$`Plan ${input.city}.`;
  });
  void runPrompt(plan, { model: 'm', input: { city: 'Faro' } });
  // @ts-expect-error the prompt takes an input
  void runPrompt(plan, { model: 'm' });
  // @ts-expect-error a city is a text
  void runPrompt(plan, { model: 'm', input: { city: 1 } });
  expectTypeOf(prompt.def('A', 'a')).toEqualTypeOf<string>();
});

test('the result has the type of options.output, and is text without it', async () => {
  const say = (p: Prompt) => p.$`Hi.`;
  const plain = await runPrompt(say, { model: 'm' });
  expectTypeOf(plain.result.output).resolves.toEqualTypeOf<string>();
  const schema = z.object({ name: z.string() });
  const { result } = await runPrompt(say, { model: 'm', options: { output: Output.object({ schema }) } });
  expectTypeOf(result.output).resolves.toEqualTypeOf<{ name: string }>();
});

test('a tool’s callbacks and rules know its arguments', () => {
  prompt.defTool('a', '', z.object({ city: z.string() }), ({ city }) => city, {
    needsApproval: (args, asked) => {
      expectTypeOf(args).toEqualTypeOf<{ city: string }>();
      expectTypeOf(asked).toEqualTypeOf<readonly ('read' | 'write' | 'external')[]>();
      return true;
    },
    beforeCall: (args) => expectTypeOf(args).toEqualTypeOf<{ city: string }>(),
    onSuccess: (args, output) => {
      expectTypeOf(args).toEqualTypeOf<{ city: string }>();
      expectTypeOf(output).toEqualTypeOf<unknown>();
    },
    onError: (args, error) => {
      expectTypeOf(args).toEqualTypeOf<{ city: string }>();
      expectTypeOf(error).toEqualTypeOf<unknown>();
    },
  });
  // @ts-expect-error no such effect
  prompt.defTool('b', '', z.object({}), () => 1, { effect: 'wirte' });
  // @ts-expect-error no such option
  prompt.defTool('c', '', z.object({}), () => 1, { timeout: 5 });
  // @ts-expect-error a schema is no text
  prompt.defTool('b', '', 'city', () => 1);
});

test('the parts of a composite tool each have their own arguments', () => {
  prompt.defTool('file', '', [
    tool('read', '', z.object({ path: z.string() }), (args) => {
      expectTypeOf(args).toEqualTypeOf<{ path: string }>();
    }),
    tool('write', '', z.object({ path: z.string(), lines: z.array(z.string()) }), (args, context) => {
      expectTypeOf(args).toEqualTypeOf<{ path: string; lines: string[] }>();
      expectTypeOf(context.toolCallId).toEqualTypeOf<string>();
    }),
  ]);
  // @ts-expect-error a part is what tool() makes
  prompt.defTool('kit', '', [{ name: 'read' }]);
});

const glossary = definePlugin({
  name: 'glossary',
  setup: (p) => ({ defTerm: (term: string, meaning: string) => p.defSystem(term, meaning) }),
});
const counter = definePlugin({
  name: 'counter',
  setup: async () => ({ count: async (by: number) => by }),
});
const silent = definePlugin({ name: 'silent', setup: (p) => p.defSystem('style', 'Be brief.') });

type WithMethods = { defTerm(term: string, meaning: string): void; count(by: number): Promise<number> };

test('methods that a plugin returns are on prompt', () => {
  expectTypeOf<PluginMethods<[typeof glossary]>['defTerm']>().toEqualTypeOf<
    (term: string, meaning: string) => void
  >();
  expectTypeOf<Prompt & PluginMethods<readonly []>>().toEqualTypeOf<Prompt>();
  expectTypeOf<PluginMethods<[typeof silent]>>().toEqualTypeOf<object>();
  expectTypeOf(silent).toExtend<Plugin>();
  // @ts-expect-error a plugin has a setup
  definePlugin({ name: 'x' });
});

test('in runPrompt', () => {
  void runPrompt(
    (p) => {
      expectTypeOf(p).toExtend<Prompt & WithMethods>();
      expectTypeOf(p.defTerm).toEqualTypeOf<(term: string, meaning: string) => void>();
      expectTypeOf(p.count(1)).toEqualTypeOf<Promise<number>>();
      // @ts-expect-error a meaning is missing
      p.defTerm('tide');
      // @ts-expect-error no plugin has this
      p.forget();
    },
    { model: 'm', options: { plugins: [glossary, counter, silent] } },
  );
  // @ts-expect-error without the plugin there is no method
  void runPrompt((p) => p.defTerm('a', 'b'), { model: 'm' });
});

test('in definePrompt', () => {
  const plan = definePrompt(
    'plan',
    (p, input: { city: string }) => {
      expectTypeOf(p).toExtend<Prompt & WithMethods>();
      expectTypeOf(input).toEqualTypeOf<{ city: string }>();
    },
    { plugins: [glossary, counter] },
  );
  void runPrompt(plan, { model: 'm', input: { city: 'Faro' } });
  // @ts-expect-error without the plugin there is no method
  definePrompt('plain', (p) => p.count(1));
});

test('in defAgent, with the call’s arguments', () => {
  prompt.defAgent(
    'a',
    '',
    z.object({ topic: z.string() }),
    async (args, own) => {
      expectTypeOf(args).toEqualTypeOf<{ topic: string }>();
      expectTypeOf(own).toExtend<Prompt & WithMethods>();
      await own.count(2);
    },
    { plugins: [glossary, counter], model: 'openai:gpt-4o', system: 'Be brief.', temperature: 0.2 },
  );
  prompt.defAgent('b', '', z.object({}), (_args, own) => {
    expectTypeOf(own).toEqualTypeOf<Prompt>();
    // @ts-expect-error an agent has its own plugins only
    own.count(1);
  });
  // @ts-expect-error the schema says topic
  prompt.defAgent('c', '', z.object({ topic: z.string() }), ({ subject }, own) => own.$`${subject}`);
  prompt.defAgent('d', '', z.object({}), () => {}, { responseSchema: z.object({ trend: z.string() }) });
  prompt.defAgent('e', '', z.object({}), () => {}, { responseSchema: { type: 'object' } });
  // @ts-expect-error a schema is no text
  prompt.defAgent('f', '', z.object({}), () => {}, { responseSchema: 'trend' });
  // @ts-expect-error an agent shares its run's limits
  prompt.defAgent('g', '', z.object({}), () => {}, { limits: { steps: 3 } });
});

test('in a task’s extend', () => {
  const withMethods = prompt as Prompt & WithMethods;
  const handle = withMethods.defTaskList([
    {
      task: 'One',
      validation: (result) => {
        expectTypeOf(result).toEqualTypeOf<string>();
        return result === '' ? 'Empty.' : undefined;
      },
      extend: (own, messages) => {
        expectTypeOf(own).toExtend<Prompt & WithMethods>();
        expectTypeOf(messages).toEqualTypeOf<ModelMessage[]>();
        own.defTerm('tide', 'The sea rises.');
      },
    },
    { task: 'Two', validation: async () => {} },
  ]);
  expectTypeOf(handle.tasks).toEqualTypeOf<readonly TaskItem[]>();
  expectTypeOf(handle.current).toEqualTypeOf<TaskItem | undefined>();
  expectTypeOf(handle.edit({ type: 'skip', taskId: 'task-1' })).toEqualTypeOf<EditReply>();
  // @ts-expect-error there is no such edit
  handle.edit({ type: 'explode' });
  // @ts-expect-error a rename has a title
  handle.edit({ type: 'rename', taskId: 'task-1' });
  // @ts-expect-error a task says what is to be done
  prompt.defTaskList([{ validation: () => undefined }]);
  // @ts-expect-error feedback is a text
  prompt.defTaskList([{ task: 'One', validation: () => 7 }]);
  prompt.defTaskList([
    {
      task: 'One',
      // @ts-expect-error the prompt has no plugin
      extend: (own) => own.defTerm('tide', ''),
    },
  ]);
});

test('hooks know the step, and what they may change', () => {
  prompt.defHook(({ messages, model, steps, stepNumber, variables, activeTools, system }) => {
    expectTypeOf(messages).toEqualTypeOf<ModelMessage[]>();
    expectTypeOf(model).toEqualTypeOf<LanguageModel>();
    expectTypeOf(steps[0]!.text).toEqualTypeOf<string>();
    expectTypeOf(stepNumber).toEqualTypeOf<number>();
    expectTypeOf(variables).toEqualTypeOf<Record<string, HookVariable>>();
    expectTypeOf(activeTools).toEqualTypeOf<string[]>();
    expectTypeOf(system).toEqualTypeOf<Instructions | undefined>();
    return { system: 'x', activeTools: ['a'], messages, temperature: 0.1, model: 'openai:gpt-4o' };
  });
  prompt.defHook(async ({ variables }) => ({
    variables: { ...variables, STEP: { type: 'string', value: 'x' } },
  }));
  prompt.defHook(() => {});
  prompt.defHook(() => undefined);
  // @ts-expect-error a variable has a type
  prompt.defHook(() => ({ variables: { STEP: { value: 'x' } } }));
  // @ts-expect-error tools are named
  prompt.defHook(() => ({ activeTools: 'search' }));
});

test('tools accept any schema and nothing else', () => {
  expectTypeOf<ToolSchema>().not.toBeAny();
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] } as const;
  prompt.defTool('a', '', schema, (args) => expectTypeOf(args).toEqualTypeOf<unknown>());
  const rule = { anyOf: [{ type: 'object' }] } as { anyOf: object[] };
  prompt.defTool('b', '', rule, (args) => expectTypeOf(args).toEqualTypeOf<unknown>());
  prompt.defTool('c', '', z.toJSONSchema(z.object({ a: z.string() })), (args) =>
    expectTypeOf(args).toEqualTypeOf<{ a: string }>(),
  );
  // @ts-expect-error a number is no schema
  prompt.defTool('d', '', 7, () => 1);
});

test('no any leaks out', async () => {
  const { result, prompt: own, run } = await runPrompt((p) => p.$`Hi.`, { model: 'm' });
  expectTypeOf(result).not.toBeAny();
  expectTypeOf(own).toEqualTypeOf<Prompt & { readonly definitions: Definitions }>();
  expectTypeOf(run).toEqualTypeOf<RunHandle>();
  expectTypeOf(run.getState()).toEqualTypeOf<RunState>();
  expectTypeOf(run.finished).resolves.toEqualTypeOf<RunState>();
  expectTypeOf(run.log()).toEqualTypeOf<readonly RunEvent[]>();
  expectTypeOf(result.text).resolves.toEqualTypeOf<string>();
  expectTypeOf(result.usage).resolves.not.toBeAny();
  expectTypeOf(run.getState().toolCalls[0]!.output).toEqualTypeOf<unknown>();
  expectTypeOf(run.getState().toolCalls[0]!.input).toEqualTypeOf<unknown>();
  expectTypeOf(run.getState().agents[0]!.output).toEqualTypeOf<unknown>();
  expectTypeOf(run.getState().approvals[0]!.input).toEqualTypeOf<unknown>();
  // @ts-expect-error a prompt function makes definitions, and does not read them
  void prompt.definitions;
  expectTypeOf(prompt.def('A', 'a')).toEqualTypeOf<string>();
  expectTypeOf(prompt.defData('A', {})).toEqualTypeOf<string>();
  expectTypeOf(prompt.$`Hi.`).toEqualTypeOf<void>();
  expectTypeOf(run.respondToApproval('id', { approved: true })).toEqualTypeOf<Promise<EditReply>>();
  // @ts-expect-error an answer says whether
  void run.respondToApproval('id', { reason: 'no' });
});

test('events are distinguished by their type', () => {
  const event = {} as RunEvent;
  expectTypeOf(event.seq).toEqualTypeOf<number>();
  if (event.type === 'tool-end') expectTypeOf(event.output).toEqualTypeOf<unknown>();
  if (event.type === 'task-update') expectTypeOf(event.taskId).toEqualTypeOf<string>();
  // @ts-expect-error there is no such event
  if (event.type === 'task-explode') throw new Error('never');
});

test('a result leaks no any, and its prompt has the methods of the plugins', async () => {
  const counter = definePlugin({ name: 'counter', setup: () => ({ countTo: (n: number) => `${n}` }) });
  const played = await runPrompt((p) => p.$`Hi.`, { model: 'm', options: { plugins: [counter] } });
  expectTypeOf(played.prompt.countTo).toEqualTypeOf<(n: number) => string>();
  const [call] = await played.result.toolCalls;
  const [done] = await played.result.toolResults;
  expectTypeOf(call!.input).toEqualTypeOf<unknown>();
  expectTypeOf(done!.output).toEqualTypeOf<unknown>();
});
