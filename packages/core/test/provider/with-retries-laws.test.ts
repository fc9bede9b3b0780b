import { CuelineError } from '@cueline/core';
import fc from 'fast-check';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { ModelResponse } from '../../src/provider/with-retries.ts';
import { sample } from '../support/sample.ts';
import { finish, provider, see, type Act, type Part } from '../support/scripted-provider.ts';

const id = fc.constantFrom('', 'a', 'b', 'a~2');
const delta = fc.constantFrom('', 'x', '{"q":', '1}');

/** Parts in any order, among them what no good provider sends. */
const part: fc.Arbitrary<Part> = fc.oneof(
  fc.record({ type: fc.constantFrom('text-start', 'text-end', 'reasoning-start', 'reasoning-end'), id }),
  fc.record({ type: fc.constantFrom('text-delta', 'reasoning-delta', 'tool-input-delta'), id, delta }),
  fc.record({ type: fc.constant('tool-input-start'), id, toolName: fc.constant('find') }),
  fc.record({ type: fc.constant('tool-input-end'), id }),
  fc.record({
    type: fc.constant('tool-call'),
    toolCallId: id,
    toolName: fc.constant('find'),
    input: fc.constantFrom('{}', '{"q":'),
  }),
  fc.constantFrom<Part>(
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', id: 'r' },
    { type: 'ping' },
    { type: 'raw', rawValue: 1 },
    { type: 'source', sourceType: 'url', id: 's', url: 'https://lab.example' },
  ),
) as fc.Arbitrary<Part>;

/** A call as providers say it, so that answers are whole often enough. */
const saidCall = fc
  .tuple(id, fc.boolean())
  .map(([id, ends]): Act[] => [
    { type: 'tool-input-start', id, toolName: 'find' },
    { type: 'tool-input-delta', id, delta: '{}' },
    ...(ends ? [{ type: 'tool-input-end', id } as const] : []),
    { type: 'tool-call', toolCallId: id, toolName: 'find', input: '{}' },
  ]);

const end: fc.Arbitrary<Act[]> = fc.oneof(
  fc
    .constantFrom('stop', 'tool-calls', 'length', 'content-filter', 'error', 'interrupted', 'other')
    .map((reason) => [finish(reason as 'stop')]),
  fc.constantFrom<Act[]>(
    [],
    ['silence'],
    [{ breaks: new TypeError('terminated') }],
    [{ breaks: new TypeError('Failed to fetch') }],
    [{ type: 'error', error: { type: 'overloaded_error', message: 'Busy' } }, finish('stop')],
    [{ type: 'error', error: 'No.' }],
  ),
);

const acts: fc.Arbitrary<Act[]> = fc
  .tuple(
    fc.array(
      fc.oneof(
        { weight: 3, arbitrary: part.map((one): Act[] => [one]) },
        { weight: 2, arbitrary: saidCall },
        { weight: 1, arbitrary: fc.constant<Act[]>([{ wait: 40 }]) },
      ),
      { maxLength: 12 },
    ),
    end,
    fc.array(part, { maxLength: 2 }),
  )
  .map(([body, end, after]) => [...body.flat(), ...end, ...after]);

/** Longer than three calls of a second each and the pauses between them take, in milliseconds. */
const LONGEST_MS = 60_000;

/** What opens is closed, by its own name and once; what is not open says nothing. */
function expectBalanced(parts: readonly Part[], whole: boolean): void {
  const open = new Set<string>();
  const inputs = new Set<string>();
  for (const part of parts) {
    const match = /^(text|reasoning|tool-input)-(start|delta|end)$/.exec(part.type);
    if (match === null || !('id' in part)) continue;
    const [, kind, what] = match;
    const name = `${kind} ${part.id}`;
    expect(open.has(name)).toBe(what !== 'start');
    if (what === 'start') open.add(name);
    if (what === 'end') open.delete(name);
    if (kind === 'tool-input' && what === 'start') {
      expect(inputs.has(name)).toBe(false);
      inputs.add(name);
    }
  }
  if (whole) expect([...open]).toEqual([]);
}

test.each([false, true])('an answer is either complete or an error (repaired: %s)', async (heals) => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
  onTestFinished(() => void vi.useRealTimers());
  const seen = { whole: 0, broken: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 1, maxLength: 3 }), fc.boolean(), async (answers, deaf) => {
      const told: ModelResponse[] = [];
      const errors: CuelineError[] = [];
      const { model, calls } = provider(answers, { deaf });
      const seeing = see(model, {
        retries: 2,
        timeouts: { firstChunkMs: 100, chunkMs: 100, callMs: 1_000 },
        onAnswer: (answer) => void told.push(answer),
        repair: (error) => (errors.push(error), heals),
      });
      // not all timers: those of an earlier test may go on without an end
      await vi.advanceTimersByTimeAsync(LONGEST_MS);
      const { parts, ...failure } = await seeing;

      const toolCalls = parts.flatMap((part) => (part.type === 'tool-call' ? [part] : []));
      const finishes = parts.filter(({ type }) => type === 'finish');
      expect(told.length + errors.length).toBe(1);
      expect(errors.every((error) => CuelineError.isInstance(error))).toBe(true);
      expectBalanced(parts, told.length === 1 || heals);
      expect(calls.length).toBeLessThanOrEqual(3);

      if (told.length === 1) {
        seen.whole += 1;
        const [answer] = told as [ModelResponse];
        expect(failure).toEqual({});
        expect(finishes).toEqual([parts.at(-1)]);
        expect(parts.at(-1)).toMatchObject({ finishReason: answer.finishReason });
        // a call that is passed on is one that will run, under an id of its own
        expect(toolCalls.map(({ toolCallId, toolName, input }) => ({ toolCallId, toolName, input }))).toEqual(
          answer.toolCalls,
        );
        expect(new Set(toolCalls.map(({ toolCallId }) => toolCallId)).size).toBe(toolCalls.length);
        const { unified } = answer.finishReason;
        if (toolCalls.length > 0) expect(['stop', 'tool-calls']).toContain(unified);
        else expect(unified).not.toBe('tool-calls');
        expect(parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('').length).toBe(
          answer.text.length,
        );
      } else {
        seen.broken += 1;
        expect(toolCalls).toEqual([]);
        // what is asked about is what is thrown
        expect(failure.rejected ?? failure.errored).toEqual(heals ? undefined : errors[0]);
        expect(finishes).toEqual(heals ? [parts.at(-1)] : []);
        if (heals) expect(parts.at(-1)).toMatchObject({ finishReason: { unified: 'other' } });
      }
    }),
    // in the report, because a summary of failures shows nothing else
    { numRuns: sample(500), includeErrorInReport: true },
  );
  // else it would say little
  expect(Math.min(seen.whole, seen.broken)).toBeGreaterThan(sample(20));
});
