import { definePrompt, tool, type PromptDefinition } from '@cueline/core';
import {
  classify,
  classifyBinary,
  defineAgent,
  tags,
  type Agent,
  type AgentConfig,
} from '@cueline/core/agents';
import { agents } from '@cueline/core/agents';
import { jsonSchema, type DeepPartial, type ToolSet } from 'ai';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

declare const ready: ToolSet;
const base = { name: 'it', instructions: 'Talk.' };

test('the output follows the config', () => {
  expectTypeOf(defineAgent(base).call('')).resolves.toHaveProperty('output').toEqualTypeOf<string>();

  const tagged = defineAgent({ ...base, output: tags({ required: ['answer', 'why'], optional: ['note'] }) });
  expectTypeOf(tagged.call(''))
    .resolves.toHaveProperty('output')
    .toEqualTypeOf<{ answer: string; why: string; note?: string }>();
  const listed = tags({
    required: ['step', 'json'],
    optional: ['note', 'why'],
    lists: ['step', 'note'],
    markdown: ['json'],
  });
  expectTypeOf(defineAgent({ ...base, output: listed }).call(''))
    .resolves.toHaveProperty('output')
    .toEqualTypeOf<{ json: string; why?: string; step: string[]; note: string[] }>();
  expectTypeOf(defineAgent({ ...base, output: tags({ required: ['answer'] }) }).call(''))
    .resolves.toHaveProperty('output')
    .toEqualTypeOf<{ answer: string }>();
  // @ts-expect-error a list is one of the tags
  tags({ required: ['step'], lists: ['steps'] });
  // @ts-expect-error and so is a code block
  tags({ required: ['step'], markdown: ['json'] });
  expectTypeOf(defineAgent({ ...base, output: tags(['answer']) }).call(''))
    .resolves.toHaveProperty('output')
    .toEqualTypeOf<{ answer: string }>();

  const schemed = defineAgent({ ...base, output: z.object({ n: z.string().transform(Number) }) });
  expectTypeOf(schemed.call('')).resolves.toHaveProperty('output').toEqualTypeOf<{ n: number }>();
  expectTypeOf(defineAgent({ ...base, output: jsonSchema<{ a: 1 }>({}) }).call(''))
    .resolves.toHaveProperty('output')
    .toEqualTypeOf<{ a: 1 }>();
  expectTypeOf(defineAgent({ ...base, output: { type: 'object' } }).call(''))
    .resolves.toHaveProperty('output')
    .toEqualTypeOf<unknown>();
});

test('the output of a config that is built elsewhere is unknown', () => {
  expectTypeOf(defineAgent(base as AgentConfig)).toEqualTypeOf<Agent>();
});

test('an output function takes a string, and its result is the output', () => {
  const parsed = defineAgent({
    ...base,
    output: async (text) => {
      expectTypeOf(text).toEqualTypeOf<string>();
      return text.split('\n');
    },
  });
  expectTypeOf(parsed.call('')).resolves.toHaveProperty('output').toEqualTypeOf<string[]>();
  // @ts-expect-error an answer is a text
  defineAgent({ ...base, output: (text: number) => text });
});

test('handlers get typed arguments', () => {
  const agent = defineAgent({
    ...base,
    onException: ({ error_message, text, attempt }) =>
      `${error_message.trim()} ${text.trim()} ${attempt.toFixed()}`,
    onInterrupt({ call_results, remaining }) {
      expectTypeOf(call_results[0]?.toolName).toEqualTypeOf<string | undefined>();
      return remaining > 0 ? undefined : 'Enough.';
    },
  });
  expectTypeOf(agent).toEqualTypeOf<Agent<string>>();
  // @ts-expect-error an exception is always said
  defineAgent({ ...base, onException: () => undefined });
  // @ts-expect-error a misspelt name
  defineAgent({ ...base, onExeption: '' });
});

test('a run has the types of the output, of the partial output, and of the calls of the tools', async () => {
  const agent = defineAgent({
    ...base,
    tools: [tool('add', 'Add', z.object({ a: z.number() }), ({ a }) => a + 1)],
    output: z.object({ sum: z.number() }),
  });
  const { run } = await agent.call('1 + 1?');
  expectTypeOf(run!.start).returns.resolves.toEqualTypeOf<{ sum: number }>();
  const state = run!.getState();
  expectTypeOf(state.object).toEqualTypeOf<DeepPartial<{ sum: number }> | undefined>();
  const [call] = state.toolCalls;
  expectTypeOf(call?.toolName).toEqualTypeOf<'add' | undefined>();
  expectTypeOf(call?.output).toEqualTypeOf<number | undefined>();
  expectTypeOf(defineAgent({ ...base, tools: ready })).toEqualTypeOf<Agent<string>>();
});

test('an agent is a prompt with an input; one of its prompts has none', () => {
  const agent = defineAgent({ ...base, output: tags(['answer']) });
  expectTypeOf(agent.prompt('x')).toExtend<PromptDefinition<void>>();
  // @ts-expect-error an agent needs an input
  expectTypeOf(agent).toExtend<PromptDefinition<void>>();
  expectTypeOf(agent).toExtend<Agent<{ answer: string }>>();
});

test('a label is one of the given labels', async () => {
  const { label, probabilities } = await classify('x', ['a', 'b'], {});
  expectTypeOf(label).toEqualTypeOf<'a' | 'b'>();
  expectTypeOf(probabilities).toEqualTypeOf<Record<'a' | 'b', number> | undefined>();
  const { value, probability } = await classifyBinary('x', {});
  expectTypeOf(value).toEqualTypeOf<boolean>();
  expectTypeOf(probability).toEqualTypeOf<number | undefined>();
});

test('register returns the type of the definition, and get returns an agent', () => {
  const agent = agents.register(defineAgent({ ...base, output: tags(['answer']) }));
  expectTypeOf(agent.call('')).resolves.toHaveProperty('output').toEqualTypeOf<{ answer: string }>();
  agents.register(definePrompt('plan', (prompt, input: { city: string }) => prompt.$`${input.city}`));
  expectTypeOf(agents.get('it').call('')).resolves.toHaveProperty('output').toEqualTypeOf<unknown>();
});
