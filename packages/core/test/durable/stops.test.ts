import {
  CuelineError,
  definePrompt,
  reduceAll,
  type PromptConfig,
  type PromptDefinition,
  type RunEvent,
} from '@cueline/core';
import { advance, type Advanced, type AdvanceOptions } from '@cueline/core/durable';
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from '@cueline/core/testing';
// A stop, an end or a signal in the middle of a step: what is in progress ends, and nothing starts after it.
import { expect, onTestFinished, test } from 'vitest';
import * as z from 'zod';
import { call, types } from '../support.ts';
import { after } from '../support/runs.ts';

type Step = {
  model: ScriptedModel;
  events: RunEvent[];
  stop: AbortController;
  end: AbortController;
  signal: AbortController;
  advanced: Promise<Advanced>;
};

/** Starts the first step of a run, whose events can be seen as they are stored. */
function begin(
  definition: PromptDefinition<void>,
  turns: readonly ScriptedTurn[],
  options: PromptConfig['options'] = {},
  more: Partial<AdvanceOptions> = {},
): Step {
  const model = scriptedModel(turns);
  const events: RunEvent[] = [];
  const [stop, end, signal] = [new AbortController(), new AbortController(), new AbortController()];
  onTestFinished(() => signal.abort(new Error('The test is over.')));
  const advanced = advance(
    { runId: 'run-1', definition, input: undefined, model, options, events: [] },
    {
      append: async (batch) => void events.push(...batch),
      stop: stop.signal,
      end: end.signal,
      signal: signal.signal,
      ...more,
    },
  );
  advanced.catch(() => {});
  return { model, events, stop, end, signal, advanced };
}

const has = (events: readonly RunEvent[], type: RunEvent['type']): boolean =>
  events.some((event) => event.type === type);

/** A prompt with a tool that sends mail, and one that may read. */
function mailer(done: string[]): PromptDefinition<void> {
  return definePrompt('mailer', (prompt) => {
    prompt.$`Send it.`;
    prompt.defTool('send', 'Send', z.object({}), () => void done.push('send'), { effect: 'external' });
    prompt.defTool('look', 'Look', z.object({}), () => void done.push('look'), { effect: 'read' });
  });
}

const late: ScriptedTurn = [
  { text: 'I send it.' },
  { ...call('send'), delay: 150 },
  { ...call('look'), delay: 20 },
];

test.each(['stop', 'end', 'signal'] as const)(
  'a tool call that the model makes after the %s of its run does not run, also some time later',
  async (how) => {
    const done: string[] = [];
    const step = begin(mailer(done), [late, 'Never.']);
    await expect.poll(() => has(step.events, 'text-delta')).toBe(true);
    step[how].abort(new Error('Enough.'));
    if (how === 'signal') await expect(step.advanced).rejects.toThrow('Enough.');
    else expect(await step.advanced).toEqual({ status: 'done' });
    const { length } = step.events;
    await after(400);
    expect(done).toEqual([]);
    expect(step.model.calls[0]?.abortSignal?.aborted).toBe(true);
    expect(step.events).toHaveLength(length);
    expect(types(step.events)).not.toContain('tool-start');
    if (how === 'stop') expect(reduceAll(step.events).status).toBe('stopped');
    if (how === 'end') expect(reduceAll(step.events).status).toBe('error');
    if (how === 'signal') expect(types(step.events)).not.toContain('run-end');
  },
);

test.each(['stop', 'end', 'signal'] as const)(
  'the %s of a run aborts the call that is running, and a call that waits for its permit never starts',
  async (how) => {
    const seen: string[] = [];
    const definition = definePrompt('slow', (prompt) => {
      prompt.$`Go.`;
      prompt.defTool('work', 'Work', z.object({ n: z.number() }), async ({ n }, { abortSignal }) => {
        seen.push(`start ${n}`);
        await new Promise<void>((resolve) => {
          abortSignal?.addEventListener('abort', () => {
            seen.push(`abort ${n}`);
            // its permit is free then
            setTimeout(resolve, 10);
          });
        });
      });
    });
    const both: ScriptedTurn = [call('work', { n: 1 }), call('work', { n: 2 })];
    const step = begin(definition, [both, 'Never.'], { limits: { concurrentToolCalls: 1 } });
    await expect.poll(() => seen).toEqual(['start 1']);
    step[how].abort(new Error('Enough.'));
    if (how === 'signal') await expect(step.advanced).rejects.toThrow('Enough.');
    else expect(await step.advanced).toEqual({ status: 'done' });
    await expect.poll(() => seen).toEqual(['start 1', 'abort 1']);
    await after(100);
    expect(seen).toEqual(['start 1', 'abort 1']);
    expect(types(step.events).filter((type) => type === 'tool-start')).toHaveLength(1);
  },
);

test('a stop also aborts the tool of an agent', async () => {
  const seen: string[] = [];
  const definition = definePrompt('parent', (prompt) => {
    prompt.$`Go.`;
    prompt.defAgent('helper', 'Helps', z.object({}), (_args, inner) => {
      inner.$`Help.`;
      inner.defTool('work', 'Work', z.object({}), (_none, { abortSignal }) => {
        seen.push('start');
        return new Promise<void>((resolve) => {
          abortSignal?.addEventListener('abort', () => {
            seen.push('abort');
            resolve();
          });
        });
      });
    });
  });
  const step = begin(definition, [[call('helper')], [call('work')], 'Never.', 'Never.']);
  await expect.poll(() => seen).toEqual(['start']);
  step.stop.abort();
  expect(await step.advanced).toEqual({ status: 'done' });
  await expect.poll(() => seen).toEqual(['start', 'abort']);
  expect(reduceAll(step.events)).toMatchObject({ status: 'stopped', agents: [{ status: 'stopped' }] });
});

test('a step whose events cannot be stored aborts the call that is running', async () => {
  const seen: string[] = [];
  const definition = definePrompt('slow', (prompt) => {
    prompt.$`Go.`;
    prompt.defTool('work', 'Work', z.object({}), async function* (_none, { abortSignal }) {
      abortSignal?.addEventListener('abort', () => void seen.push('abort'));
      seen.push('start');
      yield 'at work';
      await new Promise(() => {});
    });
  });
  const append: AdvanceOptions['append'] = async (events) => {
    if (has(events, 'tool-preliminary')) throw new Error('It belongs to another worker.');
  };
  const step = begin(definition, [[call('work')]], {}, { append });
  await expect(step.advanced).rejects.toThrow('It belongs to another worker.');
  await expect.poll(() => seen).toEqual(['start', 'abort']);
});

/** A prompt whose function, or whose hook, never returns. */
const stuck: [string, (begun: () => void) => PromptDefinition<void>][] = [
  [
    'a prompt function',
    (begun) =>
      definePrompt('stuck', async (prompt) => {
        prompt.$`Go.`;
        begun();
        await new Promise(() => {});
      }),
  ],
  [
    'a hook',
    (begun) =>
      definePrompt('stuck', (prompt) => {
        prompt.$`Go.`;
        prompt.defHook(async () => {
          begun();
          await new Promise(() => {});
        });
      }),
  ],
];

for (const [what, make] of stuck) {
  test.each(['stop', 'end', 'signal'] as const)(`${what} that never returns can be left: %s`, async (how) => {
    let begun = false;
    const step = begin(
      make(() => (begun = true)),
      ['Never.'],
    );
    await expect.poll(() => begun).toBe(true);
    const error = new CuelineError('interrupted', 'Enough.');
    step[how].abort(error);
    if (how === 'signal') await expect(step.advanced).rejects.toBe(error);
    else expect(await step.advanced).toEqual({ status: 'done' });
    const state = reduceAll(step.events);
    if (how === 'stop') expect(state).toMatchObject({ status: 'stopped', runId: 'run-1' });
    if (how === 'end') expect(state).toMatchObject({ status: 'error', error: { message: 'Enough.' } });
    if (how === 'signal') expect(types(step.events)).not.toContain('run-end');
    const { length } = step.events;
    await after(30);
    expect(step.events).toHaveLength(length);
  });
}
