import {
  createRun,
  definePlugin,
  definePrompt,
  dryRun,
  runPrompt,
  type PromptDefinition,
  type PromptWithSchema,
  type TextPrompt,
} from '@cueline/core';
import { jsonSchema } from 'ai';
import { type } from 'arktype';
import * as v from 'valibot';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

const stay = z.object({
  city: z.string(),
  days: z.number().default(1),
  from: z.string().pipe(z.coerce.date()),
});

const plan = definePrompt(
  'plan',
  (prompt, input) => {
    expectTypeOf(input).toEqualTypeOf<{ city: string; days: number; from: Date }>();
    prompt.$`Plan ${input.days} days in ${input.city}.`;
  },
  { input: stay },
);
type Stay = { city: string; days?: number | undefined; from: string };

test('the function gets the output of the schema, and a start takes its input', () => {
  expectTypeOf(plan).toEqualTypeOf<PromptWithSchema<Stay, TextPrompt>>();
  expectTypeOf(plan).toExtend<PromptDefinition<Stay, TextPrompt>>();
  expectTypeOf(createRun(plan).start).parameter(0).toEqualTypeOf<Stay>();
  void createRun(plan).start({ city: 'Faro', from: '2026-01-01' });
  void runPrompt(plan, { model: 'm', input: { city: 'Faro', from: '2026-01-01' } });
  void dryRun(plan, { input: { city: 'Faro', from: '2026-01-01' } });
  // @ts-expect-error a date is given as a text
  void createRun(plan).start({ city: 'Faro', from: new Date() });
  // @ts-expect-error a city is missing
  void runPrompt(plan, { model: 'm', input: { from: '2026-01-01' } });
  // @ts-expect-error the prompt takes an input
  void runPrompt(plan, { model: 'm' });
  // @ts-expect-error the prompt takes an input
  void dryRun(plan);
});

test('an annotation that does not fit the schema is an error', () => {
  // @ts-expect-error days are a number
  definePrompt('x', (prompt, input: { days: string }) => prompt.$`${input.days}`, { input: stay });
  definePrompt('x', (prompt, { city }: { city: string }) => prompt.$`${city}`, { input: stay });
  expectTypeOf(definePrompt).parameter(2).not.toBeAny();
  // @ts-expect-error a text is no schema
  definePrompt('x', (prompt) => prompt.$`Hi.`, { input: 'stay' });
});

test('input may be optional', () => {
  const any = definePrompt('any', (prompt) => prompt.$`Hi.`, { input: stay.optional() });
  void createRun(any).start();
  expectTypeOf(createRun(any).start).parameter(0).toExtend<Stay | undefined | void>();
  void createRun(any).start({ city: 'Faro', from: '2026-01-01' });
  const whole = definePrompt('whole', (prompt, { n }) => prompt.$`${n}`, {
    input: z.object({ n: z.number() }).default({ n: 1 }),
  });
  void createRun(whole).start();
  void runPrompt(whole, { model: 'm' });
});

test('other schema libraries infer the input', () => {
  type Standard<Input, Output> = {
    readonly '~standard': {
      readonly version: 1;
      readonly vendor: string;
      readonly validate: (value: unknown) => { value: Output } | { issues: { message: string }[] };
      readonly types?: { readonly input: Input; readonly output: Output };
    };
  };
  const standard = definePrompt('standard', (_, n) => void expectTypeOf(n).toEqualTypeOf<number>(), {
    input: {} as Standard<string, number>,
  });
  expectTypeOf(createRun(standard).start).parameter(0).toEqualTypeOf<string>();
  const bot = definePrompt('bot', (_, n) => void expectTypeOf(n).toEqualTypeOf<{ a: number }>(), {
    input: v.object({ a: v.optional(v.number(), 1) }),
  });
  void createRun(bot).start({});
  const ark = definePrompt('ark', (_, n) => void expectTypeOf(n).toEqualTypeOf<{ a: number }>(), {
    input: type({ a: 'number = 1' }),
  });
  void createRun(ark).start({});
  const ours = definePrompt('ours', (_, n) => void expectTypeOf(n).toEqualTypeOf<{ a: number }>(), {
    input: jsonSchema<{ a: number }>({ type: 'object' }),
  });
  expectTypeOf(createRun(ours).start).parameter(0).toEqualTypeOf<{ a: number }>();
  const plain = definePrompt('plain', (_, n) => void expectTypeOf(n).toEqualTypeOf<unknown>(), {
    input: { type: 'object' },
  });
  expectTypeOf(createRun(plain).start).parameter(0).toEqualTypeOf<unknown>();
});

test('an input schema works together with output and plugins', () => {
  const counter = definePlugin({ name: 'counter', setup: () => ({ countTo: (n: number) => `${n}` }) });
  const both = definePrompt(
    'both',
    (prompt, { city }) => {
      expectTypeOf(city).toEqualTypeOf<string>();
      expectTypeOf(prompt.countTo).toEqualTypeOf<(n: number) => string>();
    },
    {
      input: z.object({ city: z.string() }),
      output: z.object({ n: z.number() }),
      plugins: [counter],
      model: 'm',
    },
  );
  expectTypeOf(createRun(both).start({ city: 'Faro' })).resolves.toEqualTypeOf<{ n: number }>();
});
