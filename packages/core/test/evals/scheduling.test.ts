// Which runs of an eval are made, and how many at a time.
import { definePrompt } from '@cueline/core';
import { closeTo, defineEval, equals, memoryEvalStore, runEval, type Scorer } from '@cueline/core/evals';
import { describe, expect, test } from 'vitest';
import { classify, many, modelOf, numbers } from '../support/evals.ts';
import { after } from '../support/runs.ts';

describe('scheduling', () => {
  test('runs as many cases at a time as `concurrency` allows', async () => {
    let running = 0;
    let most = 0;
    const model = modelOf(async () => {
      most = Math.max(most, ++running);
      await after(2);
      running -= 1;
      return 'ok';
    });
    const seen: string[] = [];
    const report = await runEval(many(30), {
      models: model,
      concurrency: 4,
      onResult: (result, { done, total, passed }) => seen.push(`${done}/${total} ${passed} ${result.status}`),
    });
    expect(report.passed).toBe(true);
    expect(most).toBe(4);
    expect(seen).toEqual(Array.from({ length: 30 }, (_, index) => `${index + 1}/30 ${index + 1} passed`));
    expect(report.results.map(({ caseId }) => caseId)).toEqual(
      numbers(30).map((_, index) => `case-${index + 1}`),
    );
  });

  test('makes no further run once `onResult` has thrown', async () => {
    let starts = 0;
    const model = modelOf(async () => {
      starts += 1;
      await after(2);
      return 'ok';
    });
    let results = 0;
    const onResult = (): void => {
      results += 1;
      throw new Error('The disk is full.');
    };
    const report = runEval(many(30), { models: model, concurrency: 3, onResult });
    await expect(report).rejects.toThrow('The disk is full.');
    const before = starts;
    await after(60);
    expect(starts).toBe(before);
    expect(results).toBe(1);
  });

  describe('while a provider asks to wait', () => {
    /**
     * A model that refuses its first call and asks to wait. Its second call ends later, which frees a place for a
     * third.
     */
    const limitedOnce = (waitMs: number, onStart: (call: number) => void = () => {}) =>
      modelOf(async (_text, call) => {
        onStart(call);
        if (call === 1) await after(20);
        if (call > 0) return 'ok';
        const headers = { 'retry-after-ms': String(waitMs) };
        return [{ throw: { message: 'Slow down.', status: 429, headers } }];
      });

    test('no run starts', async () => {
      const starts: number[] = [];
      const model = limitedOnce(150, () => starts.push(performance.now()));
      const report = await runEval(many(6), { models: model, concurrency: 2 });
      expect(report.passed).toBe(true);
      // timers may be a little early
      expect(starts[2]! - starts[0]!).toBeGreaterThan(140);
    });

    test('an abort ends the evaluation at once', async () => {
      const abort = new AbortController();
      const options = { models: limitedOnce(20_000), concurrency: 2, signal: abort.signal };
      const report = await runEval(many(6), {
        ...options,
        onResult: () => setTimeout(() => abort.abort(), 10),
      });
      expect(report).toMatchObject({ aborted: true, results: [{ status: 'passed' }] });
    });
  });

  test('continues an aborted evaluation without repeating a run', async () => {
    const store = memoryEvalStore();
    const model = modelOf(() => 'ok');
    const abort = new AbortController();
    const first = await runEval(many(10, 3), {
      models: model,
      store,
      signal: abort.signal,
      concurrency: 4,
      onResult: (_, { done }) => done === 15 && abort.abort(),
    });
    const second = await runEval(many(10, 3), { models: model, store, concurrency: 4 });
    expect(first).toMatchObject({ aborted: true, passed: false });
    expect(first.results.length).toBeGreaterThanOrEqual(15);
    expect(first.results.length).toBeLessThan(25);
    expect(second).toMatchObject({
      aborted: false,
      passed: true,
      groups: [{ runs: 30, stored: first.results.length }],
    });
    // runs that the abort cut off were started and not stored
    expect(model.calls).toBeLessThanOrEqual(34);
    expect(model.calls).toBeGreaterThanOrEqual(30);
  });

  describe('with a store, only changed cases run again', () => {
    const cases = numbers(5);
    const other = definePrompt('classify', (prompt, { TEXT }: { TEXT: string }) => {
      prompt.$`Is this ok? ${TEXT}`;
    });

    test.each<[change: string, calls: number, evalOf: object, options?: object, modelId?: string]>([
      ['nothing', 0, {}],
      ['a scorer', 0, { scorers: [equals(), closeTo()] }],
      ['the expectation', 0, { cases: cases.map((one) => ({ ...one, expect: 'no' })) }],
      ['one case', 1, { cases: cases.with(2, { ...cases[2]!, input: { TEXT: 'new' } }) }],
      ['an additional case', 1, { cases: [...cases, { input: { TEXT: 'new' } }] }],
      ['the prompt', 5, { prompt: other }],
      ['the options', 5, {}, { options: { temperature: 0.5 } }],
      ['the repetitions', 5, {}, { repeat: 2 }],
      ['the model', 5, {}, {}, 'other'],
    ])('%s', async (_change, calls, evalOf, options, modelId) => {
      const store = memoryEvalStore();
      const first = modelOf(() => 'ok');
      await runEval(many(5), { models: first, store });
      expect(first.calls).toBe(5);
      const second = { models: modelOf(() => 'ok', modelId), ...options };
      const report = await runEval(defineEval({ prompt: classify, cases, ...evalOf }), { store, ...second });
      expect(second.models.calls).toBe(calls);
      expect(report.groups[0]!.runs - report.groups[0]!.stored).toBe(calls);
    });

    test.each<[string, object]>([
      ['prompts', { prompts: [classify, other], models: modelOf(() => 'ok') }],
      ['models', { models: [modelOf(() => 'ok'), modelOf(() => 'no')] }],
      ['options that are functions', { options: { prepareStep: () => ({}) }, models: modelOf(() => 'ok') }],
    ])('%s of one name have results of their own', async (_what, options) => {
      const store = memoryEvalStore();
      const changed = { options: { prepareStep: () => ({ temperature: 0 }) }, models: modelOf(() => 'no') };
      const runs = [options, ...('options' in options ? [changed] : [])];
      const reports = [];
      for (const one of runs) reports.push(await runEval(many(3), { ...one, store }));
      const groups = reports.flatMap((report) => report.groups);
      expect(groups).toHaveLength(2);
      expect(groups.map(({ stored }) => stored)).toEqual([0, 0]);
      const again = await runEval(many(3), { ...runs.at(-1), store });
      expect(again.groups.map(({ stored }) => stored)).toEqual(again.groups.map(() => 3));
    });

    test('an alias that stands for another model has other results', async () => {
      const store = memoryEvalStore();
      const model = modelOf(() => 'ok');
      const providers = { p: () => model };
      for (const [named, calls] of [
        ['p:one', 1],
        ['p:two', 2],
        ['p:one', 2],
      ] as const) {
        await runEval(many(1), { models: 'a', env: { LM_MODEL_A: named }, providers, store });
        expect(model.calls).toBe(calls);
      }
    });

    test.each<[change: string, before: object, after: object]>([
      ['the alias of an agent', { env: { LM_MODEL_SMALL: 'p:a' } }, { env: { LM_MODEL_SMALL: 'p:b' } }],
      ['the address of an agent', { env: { P_API_BASE: 'http://a' } }, { env: { P_API_BASE: 'http://b' } }],
      ['an account', { env: { AWS_REGION: 'eu-west-1' } }, { env: { AWS_REGION: 'us-east-1' } }],
      ['a function in `providers`', {}, { providers: { p: () => modelOf(() => 'other') } }],
      ['`wrapModel`', {}, { wrapModel: (model: never) => model }],
    ])('%s, but not a key', async (_change, before, after) => {
      const store = memoryEvalStore();
      const providers = {
        p: () => modelOf(() => 'ok'),
        object: { languageModel: () => modelOf(() => 'ok') },
      };
      const stored = async (options: { env?: object }, key: string): Promise<number> => {
        const env = { ...options.env, P_API_KEY: key, AWS_SECRET_ACCESS_KEY: key };
        const { groups } = await runEval(many(1), { models: 'p:m', providers, ...options, env, store });
        return groups[0]!.stored;
      };
      expect(await stored(before, 'one')).toBe(0);
      expect(await stored(before, 'two')).toBe(1);
      expect(await stored(after, 'one')).toBe(0);
    });

    test('another server of one name has other results', async () => {
      const store = memoryEvalStore();
      const asked: string[] = [];
      const chunk = { id: 'c', model: 'm', choices: [{ index: 0, delta: { content: 'ok' } }] };
      const end = { id: 'c', model: 'm', choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] };
      const events = [JSON.stringify(chunk), JSON.stringify(end), '[DONE]'];
      const fetch = (url: unknown) => {
        asked.push(new URL(String(url)).host);
        return Promise.resolve(
          new Response(events.map((event) => `data: ${event}\n\n`).join(''), {
            headers: { 'content-type': 'text/event-stream' },
          }),
        );
      };
      for (const host of ['localhost:1', 'localhost:2', 'localhost:1']) {
        const env = { OWN_API_BASE: `http://${host}/v1`, OWN_API_TYPE: 'openai' };
        const report = await runEval(many(1), { models: 'own:m', env, fetch, store });
        expect(report.groups).toMatchObject([{ passed: 1 }]);
      }
      expect(asked).toEqual(['localhost:1', 'localhost:2']);
    });

    describe('a prompt function that never settles', () => {
      const stuck = (onCall?: () => void) =>
        defineEval({
          prompt: definePrompt('stuck', () => {
            onCall?.();
            return new Promise<void>(() => {});
          }),
          cases: [{ input: undefined }],
        });

      test('ends with the timeout', async () => {
        const options = { models: modelOf(() => 'ok'), store: memoryEvalStore(), timeout: 100 };
        const report = await runEval(stuck(), { ...options, repeat: 2 });
        const error = { code: 'timeout' };
        expect(report.results).toMatchObject([
          { status: 'error', error },
          { status: 'error', error },
        ]);
      });

      test('does not delay the abort of an evaluation', async () => {
        const abort = new AbortController();
        const report = await runEval(
          stuck(() => abort.abort()),
          { models: modelOf(() => 'ok'), store: memoryEvalStore(), signal: abort.signal },
        );
        expect(report).toMatchObject({ aborted: true, results: [] });
      });
    });

    test('a run whose first request is not whole in its log is always made', async () => {
      const store = memoryEvalStore();
      const sends = (byte: number) =>
        definePrompt('listen', (prompt) => {
          const data = new Uint8Array(300_000).fill(byte);
          prompt.defMessage('user', [
            { type: 'file', data, mediaType: 'audio/wav' },
            { type: 'text', text: 'What is this?' },
          ]);
        });
      for (const byte of [1, 2]) {
        const evalOf = defineEval({ prompt: sends(byte), cases: [{ input: undefined, expect: 'ok' }] });
        const report = await runEval(evalOf, { models: modelOf(() => 'ok'), store });
        expect(report.groups).toMatchObject([{ passed: 1, stored: 0 }]);
      }
    });

    test('a run that failed with an error runs again', async () => {
      const store = memoryEvalStore();
      const failing = modelOf(() => [{ throw: { message: 'No.', status: 400 } }]);
      await runEval(many(2), { models: failing, store });
      await runEval(many(2), { models: failing, store });
      expect(failing.calls).toBe(4);
    });
  });

  test.each<[string, (signal: AbortSignal) => Promise<boolean>]>([
    ['never settles', () => new Promise(() => {})],
    [
      'ends with its signal',
      (signal) => new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
    ],
  ])('a scorer that %s is ended after the timeout', async (_, score) => {
    const slow: Scorer = { name: 'slow', score: ({ signal }) => score(signal) };
    const evalOf = defineEval({ prompt: classify, cases: numbers(2), scorers: [equals(), slow] });
    const report = await runEval(evalOf, { models: modelOf(() => 'ok'), timeout: 300 });
    const message = 'The scorer slow failed: it took longer than 300 ms. Pass a longer "timeout".';
    const error = { code: 'timeout', message };
    expect(report.results).toMatchObject([
      { status: 'error', error, scores: [{ scorer: 'equals' }] },
      { status: 'error', error },
    ]);
  });

  test('a scorer that never settles does not delay the abort of an evaluation', async () => {
    const abort = new AbortController();
    const stuck: Scorer = {
      name: 'stuck',
      score() {
        queueMicrotask(() => abort.abort());
        return new Promise(() => {});
      },
    };
    const evalOf = defineEval({ prompt: classify, cases: numbers(1), scorers: [stuck] });
    const report = await runEval(evalOf, { models: modelOf(() => 'ok'), signal: abort.signal });
    expect(report).toMatchObject({ aborted: true, results: [] });
  });
});
