import { scriptedModel, type ScriptedModel } from '@cueline/core/testing';
import { PromptProvider } from '@cueline/react';
import { StrictMode, type ReactElement } from 'react';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { Receipt } from '../../../../docs/examples/react/agent-calls.tsx';
import { Desk, Research } from '../../../../docs/examples/react/sessions.tsx';
import { mount } from '../support/mount.tsx';

type Turns = Parameters<typeof scriptedModel>[0];

/** Shows an example of the documentation with a model that says these. */
function show(example: (model: ScriptedModel) => ReactElement, turns: Turns): ScriptedModel {
  const model = scriptedModel(turns);
  mount(
    <StrictMode>
      <PromptProvider model={model}>{example(model)}</PromptProvider>
    </StrictMode>,
  );
  return model;
}

const click = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
const call = (name: string, input: unknown): { toolCall: { name: string; input: unknown } } => ({
  toolCall: { name, input },
});
const complete = call('task_complete', { summary: 'Every 11 minutes.' });

test('a session as a prompt shows its calls and its result', async () => {
  const model = show(() => <Research />, [[call('search', { query: 'tram 28' })], 'Found it.', [complete]]);
  await click('Look it up');
  await expect.element(page.getByText('search: output-available')).toBeVisible();
  await expect.element(page.getByRole('status')).toHaveTextContent('Every 11 minutes.');
  expect(JSON.stringify(model.calls[0]?.prompt)).toContain('How often does tram 28 run?');
  expect(JSON.stringify(model.calls[2]?.prompt)).toContain('Please continue.');
});

test('a session as a prompt shows its error', async () => {
  show(() => <Research />, [[{ throw: { message: 'wrong key', status: 401 } }]]);
  await click('Look it up');
  await expect.element(page.getByText('wrong key', { exact: false })).toBeVisible();
});

test('a session shows that it is running, and can be stopped', async () => {
  show(
    (model) => <Desk model={model} />,
    ['I look.', [{ text: 'Wait ' }, { text: 'for it', delay: 60_000 }]],
  );
  await click('Begin');
  await expect.element(page.getByRole('status')).toHaveTextContent('running, turn 2');
  await expect.element(page.getByText('Wait')).toBeVisible();
  await click('Stop');
  await expect.element(page.getByRole('status')).toHaveTextContent('stopped, turn 2');
});

test('an agent as a prompt shows that it is corrected', async () => {
  const model = show(() => <Receipt />, ['Hm.', '{"shop":"Pastelaria","total":3.5}']);
  await page.getByLabelText('Receipt').fill('Pastelaria, 2 coffees, 3.50');
  await click('Read');
  await expect.element(page.getByRole('status')).toHaveTextContent('3.5 euros');
  await expect.element(page.getByText('Pastelaria')).toBeVisible();
  expect(model.calls).toHaveLength(2);
});

test('an agent as a prompt shows that it found no answer', async () => {
  show(() => <Receipt />, ['a', 'b', 'c', 'd']);
  await page.getByLabelText('Receipt').fill('?');
  await click('Read');
  await expect.element(page.getByText('gave no valid answer', { exact: false })).toBeVisible();
});
