// @vitest-environment happy-dom
import { definePrompt } from '@cueline/core';
import { scriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import { Tooltip } from 'radix-ui';
import { act, createElement } from 'react';
import { createRoot } from 'react-dom/client';
import { beforeEach, expect, test, vi } from 'vitest';
import * as z from 'zod';
import { useInspection } from '../../src/state/inspection.ts';
import { reply, startPromptRun, startRun } from '../../src/state/run-session.ts';
import { logOf } from '../../src/state/shown-run.ts';
import { currentSession, usePlayground, type RunSession } from '../../src/state/store.ts';
import { RunSummary } from '../../src/transcript/run-summary.tsx';
import { page } from './in-process-page.ts';

vi.mock('../../src/sandbox/index.ts', () => import('./in-process-page.ts'));
vi.mock('../../src/model/create-model.ts', () => import('./in-process-page.ts'));
vi.mock('../../src/model/prompt-model.ts', () => import('./in-process-page.ts'));

Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

const openai = {
  kind: 'openai',
  openai: { model: 'gpt-test', api: 'chat', baseUrl: '' },
  compatible: { model: '', baseUrl: '' },
} as const;
const shown = (): RunSession => currentSession(usePlayground.getState())!;

/** Presses a button of the summary of the run that is shown. */
function press(name: string): void {
  const session = shown();
  const { earlier } = session;
  const now = { state: session.run.getState(), turn: earlier.length, earlier, isPast: false };
  const props = { session, shown: now };
  const root = createRoot(document.body.appendChild(document.createElement('div')));
  act(() => root.render(createElement(Tooltip.Provider, null, createElement(RunSummary, props))));
  const button = [...document.querySelectorAll('button')].find(({ textContent }) => textContent === name);
  expect(button, name).toBeDefined();
  act(() => button!.click());
  act(() => root.unmount());
}

function respondWith(turns: readonly ScriptedTurn[]) {
  const model = scriptedModel(turns);
  page.model = model;
  return model;
}

beforeEach(() => {
  usePlayground.setState(usePlayground.getInitialState(), true);
  useInspection.getState().reset();
  page.prompts.set(
    'talk',
    definePrompt('talk', (own) => {
      own.defTool('look', 'Looks', z.object({}), () => 'found');
      own.$`Ask me.`;
    }) as never,
  );
});

test('a reply without a key is sent again once there is one, in the same conversation', async () => {
  respondWith(['What do you like?']);
  usePlayground.getState().edit('talk');
  startRun();
  await shown().run.finished;
  usePlayground.setState({ connection: openai });
  reply('Caves');
  await shown().run.finished;
  const { id } = shown();
  expect(shown().run.getState()).toMatchObject({ status: 'error', steps: [] });
  const model = respondWith(['Caves are dark.', 'Yes.']);
  usePlayground.setState({ keys: { openai: 'sk-test-0123456789', compatible: '' } });
  press('Run this turn again');
  await shown().run.finished;
  expect(shown().id).toBe(id);
  expect(shown().run.getState()).toMatchObject({ status: 'done', text: 'Caves are dark.' });
  expect(JSON.stringify(model.calls[0]?.prompt)).toMatch(/Ask me.*What do you like\?.*Caves/);
  // a further reply can be sent
  reply('Really?');
  await shown().run.finished;
  expect(shown().earlier).toHaveLength(2);
  expect(JSON.stringify(model.calls[1]?.prompt)).toMatch(/Ask me.*like\?.*Caves.*are dark.*Really\?/);
});

test('a reply that fails in its first step is sent again in a fork with the earlier turns', async () => {
  respondWith(['What do you like?']);
  usePlayground.getState().edit('talk');
  startRun();
  await shown().run.finished;
  // the model has no more answers
  reply('Caves');
  await shown().run.finished;
  const broken = shown();
  expect(broken.run.getState()).toMatchObject({ status: 'error', steps: [{ step: 0 }] });
  const model = respondWith(['Caves are dark.']);
  press('Run this turn again');
  await shown().run.finished;
  expect(shown()).toMatchObject({ parent: { id: broken.id, turn: 1, step: 0 }, earlier: [{}] });
  expect(logOf(shown(), 0)).toBe(logOf(broken, 0));
  expect(shown().run.getState()).toMatchObject({ status: 'done', text: 'Caves are dark.' });
  expect(JSON.stringify(model.calls[0]?.prompt)).toMatch(/Ask me.*What do you like\?.*Caves/);
});

test('a reply to a prompt of the library is sent again with the input of its prompt', async () => {
  const prompt = definePrompt('place', (own, place: string) => {
    own.$`Look around ${place}.`;
  });
  usePlayground.setState({ view: 'prompts' });
  respondWith(['Nothing.']);
  startPromptRun(prompt, 'the moor', {});
  await shown().run.finished;
  usePlayground.setState({ connection: openai });
  reply('Look again');
  await shown().run.finished;
  expect(shown().run.getState()).toMatchObject({ status: 'error', steps: [] });
  const model = respondWith(['A bear.']);
  usePlayground.setState({ keys: { openai: 'sk-test-0123456789', compatible: '' } });
  press('Run this turn again');
  await shown().run.finished;
  expect(shown().run.getState()).toMatchObject({ status: 'done', text: 'A bear.' });
  expect(JSON.stringify(model.calls[0]?.prompt)).toMatch(/the moor.*Nothing\..*Look again/);
});
