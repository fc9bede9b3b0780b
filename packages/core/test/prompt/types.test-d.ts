import { definePrompt, runPrompt, type Prompt } from '@cueline/core';
import { Output, type jsonSchema } from 'ai';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

declare const prompt: Prompt;

test('tool arguments come from the schema', () => {
  prompt.defTool('a', '', z.object({ city: z.string(), days: z.number().optional() }), (args, context) => {
    expectTypeOf(args).toEqualTypeOf<{ city: string; days?: number | undefined }>();
    expectTypeOf(context.toolCallId).toEqualTypeOf<string>();
    expectTypeOf(context.abortSignal).toEqualTypeOf<AbortSignal | undefined>();
  });
  prompt.defTool('b', '', {} as ReturnType<typeof jsonSchema<{ n: number }>>, (args) => {
    expectTypeOf(args).toEqualTypeOf<{ n: number }>();
  });
  prompt.defTool('c', '', { type: 'object' }, (args) => {
    expectTypeOf(args).toEqualTypeOf<unknown>();
  });
  // @ts-expect-error the schema says city
  prompt.defTool('d', '', z.object({ city: z.string() }), ({ town }) => town);
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
