import { definePrompt, type RunEvent } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { forkAt } from '../../src/state/fork-session.ts';
import { openLinkedRun, showLinkedRun } from '../../src/state/run-session.ts';
import { usePlayground } from '../../src/state/store.ts';
import { page } from './in-process-page.ts';

vi.mock('../../src/sandbox/index.ts', () => import('./in-process-page.ts'));
vi.mock('../../src/model/create-model.ts', () => import('./in-process-page.ts'));
vi.mock('../../src/model/prompt-model.ts', () => import('./in-process-page.ts'));

const providerMetadata = { openai: { itemId: 'msg_123' } };
const prompt = definePrompt('greet', (own) => own.$`Greet.`);

/** The log of a run with these messages, as a link delivers it. */
function logWith(parts: readonly object[]): readonly RunEvent[] {
  const messages = [
    { id: 'm1', role: 'user', parts },
    { id: 'm2', role: 'assistant', parts: [{ type: 'text', text: 'Hello.', providerMetadata }] },
    { id: 'm3', role: 'user', parts: [{ type: 'text', text: 'Go on', providerMetadata }] },
  ];
  const events = [
    { type: 'run-start', v: 2, runId: 'r', model: 'm', messages, turns: 3, messageId: 'a' },
    { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
    { type: 'step-end', step: 0, finishReason: 'stop', usage: {} },
    { type: 'run-end', outcome: 'done', finishReason: 'stop' },
  ];
  return events.map((event, seq) => ({ ...event, seq, t: 0 })) as unknown as readonly RunEvent[];
}

/** Opens the run of a link, runs it again from its first step, and waits until it has this status. */
async function runAgain(parts: readonly object[], status: 'done' | 'error') {
  const model = scriptedModel(['Hi.']);
  page.model = model;
  showLinkedRun({ prompts: {} }, openLinkedRun(logWith(parts), prompt));
  forkAt(usePlayground.getState().promptSession!, 0, { step: 0 });
  const { run } = usePlayground.getState().promptSession!;
  await vi.waitFor(() => expect(run.getState().status).toBe(status), 10_000);
  return { error: run.getState().error, calls: model.calls };
}

beforeEach(() => usePlayground.setState(usePlayground.getInitialState(), true));

test('a run of a link that runs again sends no provider options that the page has not received', async () => {
  const { calls } = await runAgain([{ type: 'text', text: 'Hello' }], 'done');
  const sent = JSON.stringify(calls[0]?.prompt);
  expect(sent).toMatch(/Hello.*Go on/);
  expect(sent).not.toContain('msg_123');
});

test('a run of a link that runs again fetches no files', async () => {
  const fetched = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('No network.'));
  onTestFinished(() => fetched.mockRestore());
  const url = 'https://attacker.example/track.png';
  const { error, calls } = await runAgain([{ type: 'file', mediaType: 'image/png', url }], 'error');
  expect(error?.code).toBe('sandbox_refused');
  expect([fetched.mock.calls, calls]).toEqual([[], []]);
});
