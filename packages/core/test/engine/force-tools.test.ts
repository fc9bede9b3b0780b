// `forceTools` makes the model call a tool at the first step, and leaves the later steps free.
import { createRun, definePrompt, type Prompt, type PromptOptions } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call, play } from '../support.ts';
import { failure } from '../support/retried-runs.ts';
import { codeOf } from '../support/runs.ts';

const calls = [call('weather', { city: 'Faro' })];

function ask(prompt: Prompt): void {
  prompt.defTool('weather', 'Weather for a city', z.object({ city: z.string() }), () => 'sunny');
  prompt.$`Plan a day in Faro.`;
}

/** What each step said of its tools. */
async function toolChoices(
  options: PromptOptions,
  source: (prompt: Prompt) => void = ask,
): Promise<unknown[]> {
  const { model, state } = await play(source, [calls, 'Go to the beach.'], { options });
  expect(state.status).toBe('done');
  return model.calls.map(({ toolChoice }) => toolChoice?.type);
}

describe('forceTools', () => {
  test('applies to the first step only', async () => {
    expect(await toolChoices({ forceTools: true })).toEqual(['required', 'auto']);
    expect(await toolChoices({ forceTools: false })).toEqual(['auto', 'auto']);
    expect(await toolChoices({})).toEqual(['auto', 'auto']);
  });

  test("is overridden by the caller's toolChoice, by prepareStep, and by a step without tools", async () => {
    expect(await toolChoices({ forceTools: true, toolChoice: 'auto' })).toEqual(['auto', 'auto']);
    expect(await toolChoices({ forceTools: true, prepareStep: () => ({ toolChoice: 'auto' }) })).toEqual([
      'auto',
      'auto',
    ]);
    const { model, state } = await play((prompt) => prompt.$`Hi.`, ['Hello.'], {
      options: { forceTools: true },
    });
    expect(model.calls[0]?.toolChoice).not.toEqual({ type: 'required' });
    expect(state.warnings).toEqual([
      'forceTools is set, but the first step has no tool that the model could call.',
    ]);
  });

  test('does not apply again when a retry continues after the first step', async () => {
    const model = scriptedModel([calls, failure, 'Go to the beach.', calls, 'Go home.']);
    const options = { forceTools: true, maxRetries: 0 };
    const run = createRun(definePrompt('day', ask), { model, options });
    expect(await codeOf(run.start())).toBe('provider_error');
    expect(await run.retry()).toBe('Go to the beach.');
    expect(await run.send('And then?')).toBe('Go home.');
    expect(model.calls.map(({ toolChoice }) => toolChoice?.type)).toEqual([
      'required',
      'auto',
      'auto',
      'required',
      'auto',
    ]);
  });

  test('applies to the agent that sets it, and not to its parent', async () => {
    const { model } = await play(
      (prompt) => {
        prompt.defAgent('planner', 'Plans', z.object({}), (_args, own) => ask(own), { forceTools: true });
        prompt.$`Plan.`;
      },
      [[call('planner', {})], calls, 'The beach.', 'Done.'],
    );
    expect(model.calls.map(({ toolChoice }) => toolChoice?.type)).toEqual([
      'auto',
      'required',
      'auto',
      'auto',
    ]);
  });
});
