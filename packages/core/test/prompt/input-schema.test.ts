import { setTimeout } from 'node:timers/promises';
import {
  createRun,
  CuelineError,
  definePrompt,
  dryRun,
  runPrompt,
  viaRoute,
  type PromptFunction,
} from '@cueline/core';
import { PromptTransport } from '@cueline/core/ai-sdk';
import { scriptedModel } from '@cueline/core/testing';
import { jsonSchema } from 'ai';
import { type } from 'arktype';
import * as v from 'valibot';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { throwing } from '../support.ts';

const stay = z.object({ city: z.string(), days: z.number().default(1) });

function planned(): { plan: ReturnType<typeof define>; called: ReturnType<typeof vi.fn> } {
  const called = vi.fn();
  return { plan: define(called), called };
}

function define(called: (input: unknown) => void) {
  return definePrompt(
    'plan',
    (prompt, input) => {
      called(input);
      prompt.$`Plan ${input.days} days in ${input.city}.`;
    },
    { input: stay },
  );
}

describe('input that fits its schema', () => {
  test('reaches the function as the output of the schema', async () => {
    const { plan, called } = planned();
    const { result } = await runPrompt(plan, { model: scriptedModel(['Done.']), input: { city: 'Faro' } });
    expect(await result.text).toBe('Done.');
    expect(called).toHaveBeenCalledExactlyOnceWith({ city: 'Faro', days: 1 });
  });

  test('is logged as it was passed, so that a later start validates it again', async () => {
    const { plan } = planned();
    const run = createRun(plan, { model: scriptedModel(['Done.']) });
    await run.start({ city: 'Faro' });
    expect(run.log()[0]).toMatchObject({ type: 'run-start', input: { city: 'Faro' } });
  });

  test('a prompt that calls another one passes it validated input, at once if the schema is synchronous', () => {
    const { plan, called } = planned();
    const texts: string[] = [];
    const prompt = {
      $: (strings: TemplateStringsArray, ...values: unknown[]) =>
        void texts.push(String.raw(strings, ...values)),
    };
    const done = plan.run(prompt as never, { city: 'Faro' });
    expect(done).toBeUndefined();
    expect(called).toHaveBeenCalledExactlyOnceWith({ city: 'Faro', days: 1 });
    expect(texts).toEqual(['Plan 1 days in Faro.']);
  });
});

test.each([
  ['at once', throwing(new RangeError('no such city'))],
  ['later', async () => Promise.reject(new RangeError('no such city'))],
] as const)('a schema that throws %s is named in the error', async (_when, validate) => {
  const input = { '~standard': { version: 1, vendor: 'own', validate } } as const;
  const plan = definePrompt('plan', (prompt) => prompt.$`Plan.`, { input });
  await expect(dryRun(plan, { input: 'Faro' })).rejects.toMatchObject({
    code: 'script_error',
    message: 'The input schema of prompt "plan" threw: no such city',
    source: 'prompt',
  });
});

describe('an asynchronous schema of zod', () => {
  const checked = vi.fn(async (city: string) => {
    await setTimeout(1);
    if (city === 'Faro') throw new Error('the database is away');
    return city !== 'Oslo';
  });
  const input = z.string().refine(checked, 'is not a city');
  const plan = definePrompt('plan', (prompt, city) => prompt.$`Plan a day in ${city}.`, { input });

  test.each([
    ['Evora', { outcome: 'done' }],
    ['Oslo', { code: 'invalid_input' }],
    // a rejection that nothing handles would fail this file
    [
      'Faro',
      { code: 'script_error', message: 'The input schema of prompt "plan" threw: the database is away' },
    ],
  ])('is called once: %s', async (city, expected) => {
    checked.mockClear();
    const run = runPrompt(plan, { model: scriptedModel(['Done.']), input: city });
    const end = run.then(async ({ run }) => ({ outcome: (await run.finished).status }));
    expect(await end.catch((error: unknown) => error)).toMatchObject(expected);
    await setTimeout(5);
    expect(checked).toHaveBeenCalledTimes(1);
  });
});

describe('input that does not fit', () => {
  const wrong = { city: 7, days: 'two' } as never;
  const refused = {
    code: 'invalid_input',
    message:
      'The input of prompt "plan" does not fit its schema. input.city: Invalid input: expected string, received number; input.days: Invalid input: expected number, received string. Start the prompt with input that fits.',
    details: {
      prompt: 'plan',
      issues: [
        { path: 'input.city', message: 'Invalid input: expected string, received number' },
        { path: 'input.days', message: 'Invalid input: expected number, received string' },
      ],
    },
  };

  test('runPrompt and dryRun throw before the function is called', async () => {
    const { plan, called } = planned();
    const model = scriptedModel(['Never.']);
    await expect(runPrompt(plan, { model, input: wrong })).rejects.toMatchObject(refused);
    await expect(dryRun(plan, { input: wrong })).rejects.toMatchObject(refused);
    expect(called).not.toHaveBeenCalled();
    expect(model.calls).toEqual([]);
  });

  test('a run that starts with it ends with the error', async () => {
    const { plan, called } = planned();
    const run = createRun(plan, { model: scriptedModel(['Never.']) });
    await expect(run.start(wrong)).rejects.toMatchObject(refused);
    expect(run.getState()).toMatchObject({ status: 'error', error: { code: 'invalid_input' } });
    expect(called).not.toHaveBeenCalled();
  });

  test('a chat in the page ends with the error', async () => {
    const { plan, called } = planned();
    const transport = new PromptTransport(plan, { model: scriptedModel(['Never.']), input: wrong });
    const stream = await transport.sendMessages({
      chatId: 'c',
      trigger: 'submit-message',
      messageId: undefined,
      messages: [{ id: 'm', role: 'user', parts: [{ type: 'text', text: 'Hi.' }] }],
      abortSignal: undefined,
    });
    const chunks: unknown[] = [];
    for await (const chunk of stream as unknown as AsyncIterable<unknown>) chunks.push(chunk);
    expect(chunks).toContainEqual({ type: 'error', errorText: refused.message });
    expect(called).not.toHaveBeenCalled();
  });

  test("long issues of a client's input are cut", async () => {
    const prompt = definePrompt('map', (p) => p.$`Hi.`, { input: z.record(z.string(), z.number()) });
    const many = Object.fromEntries(
      Array.from({ length: 50 }, (_, n) => [`${n}`.repeat(400), 'x'.repeat(1e5)]),
    );
    const error: unknown = await runPrompt(prompt, {
      model: scriptedModel(['Never.']),
      input: many as never,
    }).catch((e: unknown) => e);
    expect(CuelineError.isInstance(error) && error.message.length).toBeLessThan(5_000);
    expect((error as CuelineError).message).toContain('; and 40 more');
    expect((error as CuelineError).details?.['issues']).toHaveLength(10);
  });
});

describe('any schema', () => {
  const hi: PromptFunction<never> = (prompt) => prompt.$`Hi.`;
  const reading = (input: object): Promise<unknown> => {
    let got: unknown;
    const prompt = definePrompt('p', (p, value) => void ((got = value), hi(p, value as never)), {
      input: input as z.ZodType,
    });
    return runPrompt(prompt, { model: scriptedModel(['Done.']), input: { n: 1 } }).then(
      () => got,
      (error: unknown) => (error as CuelineError).message,
    );
  };
  const standard = (validate: (value: unknown) => unknown): object => ({
    '~standard': { version: 1, vendor: 'ours', validate },
  });

  test('a Standard Schema, synchronous or not, also one that is a function', async () => {
    expect(await reading(standard((value) => ({ value: { ...(value as object), read: true } })))).toEqual({
      n: 1,
      read: true,
    });
    expect(await reading(standard(async () => ({ value: 7 })))).toBe(7);
    expect(
      await reading(
        Object.assign(
          () => {},
          standard(() => ({ value: 8 })),
        ),
      ),
    ).toBe(8);
    const path = ['stops', 2, { key: 'name' }];
    const invalid =
      'The input of prompt "p" does not fit its schema. input.stops[2].name: Too short. Start the prompt with input that fits.';
    expect(await reading(standard(() => ({ issues: [{ message: 'Too short.', path }] })))).toBe(invalid);
  });

  test('valibot and arktype', async () => {
    expect(await reading(v.object({ n: v.number(), m: v.optional(v.number(), 2) }))).toEqual({ n: 1, m: 2 });
    expect(await reading(v.object({ n: v.string() }))).toContain('input.n: Invalid type: Expected string');
    expect(await reading(type({ n: 'number' }))).toEqual({ n: 1 });
    expect(await reading(type({ n: 'string' }))).toContain('input.n: n must be a string');
  });

  test('issues count even if there is a value, as in valibot', async () => {
    const result = { typed: false, value: { n: 1 }, issues: [{ message: 'Not a text' }] };
    expect(await reading(standard(() => result))).toContain('input: Not a text.');
  });

  test('the AI SDK’s jsonSchema with a validate function', async () => {
    const ok = jsonSchema({ type: 'object' }, { validate: () => ({ success: true, value: 9 }) });
    expect(await reading(ok)).toBe(9);
    const bad = jsonSchema(
      { type: 'object' },
      { validate: () => ({ success: false, error: new Error('No.') }) },
    );
    expect(await reading(bad)).toContain('input: No.');
  });

  test('plain JSON Schema, and the output of z.toJSONSchema', async () => {
    const schema = { type: 'object', properties: { n: { type: 'string' } }, required: ['n'] };
    const invalid = 'input.n: Invalid input: expected string, received number.';
    expect(await reading(schema)).toContain(invalid);
    expect(await reading(jsonSchema(schema as never))).toContain(invalid);
    expect(await reading(z.toJSONSchema(z.object({ n: z.string() })))).toContain(invalid);
    expect(await reading({ ...schema, properties: { n: { type: 'number' } } })).toEqual({ n: 1 });
    expect(await reading({ $ref: 'https://example.com/schema.json' })).toMatch(
      /^The JSON Schema of a prompt's input cannot be checked \(/,
    );
  });

  test('anything else is refused when the prompt is defined', () => {
    expect(() => definePrompt('p', hi, { input: 'text' as never })).toThrow(
      'The input of prompt "p" must be a schema: { input: z.object({ … }) }.',
    );
  });
});

test('viaRoute sends input as it was passed: the route reads it', async () => {
  let sent: unknown;
  const { plan } = planned();
  const fetch = async (request: Request): Promise<Response> => {
    sent = await request.json();
    return Response.json({ error: { code: 'invalid_input', message: 'No.' } }, { status: 400 });
  };
  const run = createRun(plan, { executor: viaRoute('https://a.example/', { fetch }) });
  await expect(run.start({ city: 'Faro' })).rejects.toMatchObject({ code: 'invalid_input', message: 'No.' });
  expect(sent).toMatchObject({ prompt: 'plan', input: { city: 'Faro' } });
});
