import { createRun, definePrompt } from '@cueline/core';
import { scriptedModel, type ScriptedModel } from '@cueline/core/testing';
import { PromptProvider } from '@cueline/react';
import { StrictMode, type ReactElement } from 'react';
import { expect, onTestFinished, test, vi } from 'vitest';
import { page } from 'vitest/browser';
import { Receipt } from '../../../../docs/examples/react/agent-calls.tsx';
import { Booking, Lunch } from '../../../../docs/examples/react/client-tools.tsx';
import { Chat, Desk } from '../../../../docs/examples/react/conversation.tsx';
import {
  EventForm,
  Greeting,
  Plan,
  PlanButton,
  Summary,
  Trip,
} from '../../../../docs/examples/react/first-steps.tsx';
import {
  PlanPage,
  Planner,
  planFromMenu,
  registry,
  Root,
  ServedPlan,
  SuspendedPlan,
} from '../../../../docs/examples/react/many-components.tsx';
import { Chores, Move } from '../../../../docs/examples/react/move-house.tsx';
import { Desk as SessionDesk, Research } from '../../../../docs/examples/react/sessions.tsx';
import { Past, RetriedPlan, Variants } from '../../../../docs/examples/react/time-travel.tsx';
import { mount, watchConsole } from '../support/mount.tsx';

type Turns = Parameters<typeof scriptedModel>[0];

/** Shows an example of the documentation with a model that says these. */
function show(example: ReactElement | ((model: ScriptedModel) => ReactElement), turns: Turns): ScriptedModel {
  const model = scriptedModel(turns);
  mount(
    <StrictMode>
      <PromptProvider model={model}>
        {typeof example === 'function' ? example(model) : example}
      </PromptProvider>
    </StrictMode>,
  );
  return model;
}

const click = (name: string): Promise<void> => page.getByRole('button', { name, exact: true }).click();
const call = (name: string, input: unknown): { toolCall: { name: string; input: unknown } } => ({
  toolCall: { name, input },
});

const noMoney = { throw: { message: 'No money left', status: 402 } };

test('a button starts a run and shows its answer', async () => {
  show(<PlanButton />, ['Take the tram.']);
  await click('Plan my day');
  await expect.element(page.getByText('Take the tram.')).toBeVisible();
});

test('an answer is shown while it arrives, and can be stopped', async () => {
  show(<Plan />, [[{ text: 'Take the ' }, { text: 'tram.', delay: 60_000 }]]);
  await click('Plan my day');
  await expect.element(page.getByText('Take the')).toBeVisible();
  await click('Stop');
  await expect.element(page.getByRole('button', { name: 'Plan my day' })).toBeVisible();
  await expect.element(page.getByText('Take the')).toBeVisible();
});

test('a prompt function in the component uses the state of the latest render', async () => {
  const model = show(<Summary text="A long story." />, ['Short.']);
  await page.getByLabelText('Words').fill('20');
  await click('Summarize');
  await expect.element(page.getByText('Short.')).toBeVisible();
  expect(JSON.stringify(model.calls[0]?.prompt)).toContain('in at most 20 words: A long story.');
});

test('an object fills a form', async () => {
  show(<EventForm mail="Fado on Friday at Tasca." />, ['{"title":"Fado","place":"Tasca"}']);
  await click('Read');
  await expect.element(page.getByLabelText('Title')).toHaveValue('Fado');
  await expect.element(page.getByLabelText('Place')).toHaveValue('Tasca');
  await expect.element(page.getByRole('button', { name: 'Save “Fado”' })).toBeVisible();
});

test('tool calls are typed and live', async () => {
  show(<Trip />, [[call('getWeather', { city: 'Lisbon' })], 'Go to Lisbon.']);
  await click('Find the sun');
  await expect.element(page.getByText('Lisbon (output-available): Sunny in Lisbon')).toBeVisible();
  await expect.element(page.getByText('Go to Lisbon.')).toBeVisible();
});

test('a start in a mount effect is one start in StrictMode', async () => {
  const model = show(<Greeting />, ['Good morning.']);
  await expect.element(page.getByText('Good morning.')).toBeVisible();
  expect(model.calls).toHaveLength(1);
});

for (const approves of [true, false]) {
  test(`a call that is ${approves ? 'approved with other arguments' : 'refused'}`, async () => {
    const model = show(<Desk />, [[call('sendMail', { to: 'Ada', text: 'At ten.' })], 'So be it.']);
    await click('Tell Ada');
    await page.getByLabelText('Arguments').fill('{"to":"Grace","text":"At ten."}');
    await click(approves ? 'Approve' : 'Refuse');
    await expect.element(page.getByText('So be it.')).toBeVisible();
    const said = JSON.stringify(model.calls[1]?.prompt);
    expect(said).toContain(approves ? 'sent to Grace' : 'Not today.');
  });
}

test('arguments that are not JSON are not sent', async () => {
  const model = show(<Desk />, [[call('sendMail', { to: 'Ada', text: 'At ten.' })], 'So be it.']);
  await click('Tell Ada');
  await page.getByLabelText('Arguments').fill('{"to":"Grace"');
  await click('Approve');
  await expect.element(page.getByText(/The arguments are not JSON/)).toBeVisible();
  await page.getByLabelText('Arguments').fill('{"to":"Grace"}');
  await click('Approve');
  await expect.element(page.getByText(/text: Invalid input/)).toBeVisible();
  await page.getByLabelText('Arguments').fill('{"to":"Grace","text":"At ten."}');
  await click('Approve');
  await expect.element(page.getByText('So be it.')).toBeVisible();
  expect(JSON.stringify(model.calls[1]?.prompt)).toContain('sent to Grace');
});

test('a tool runs in the page', async () => {
  const position = { coords: { latitude: 38.7, longitude: -9.1 } } as GeolocationPosition;
  const located = vi
    .spyOn(navigator.geolocation, 'getCurrentPosition')
    .mockImplementation((found) => found(position));
  onTestFinished(() => located.mockRestore());
  const model = show(<Lunch />, [[call('getLocation', {})], 'At the harbour.']);
  await click('Lunch');
  await expect.element(page.getByText('At the harbour.')).toBeVisible();
  expect(JSON.stringify(model.calls[1]?.prompt)).toContain('{"latitude":38.7,"longitude":-9.1}');
});

test('a tool asks the user a question', async () => {
  const model = show(<Booking />, [[call('askUser', { question: 'For how many?' })], 'Booked.']);
  await click('Book');
  await page.getByLabelText('For how many?').fill('four');
  await click('Answer');
  await expect.element(page.getByText('Booked.')).toBeVisible();
  expect(JSON.stringify(model.calls[1]?.prompt)).toContain('four');
});

test('a conversation continues with each message', async () => {
  show(<Chat />, ['Bom dia!', 'Obrigado.']);
  for (const [said, answer] of [
    ['Good morning?', 'assistant: Bom dia!'],
    ['Thanks?', 'assistant: Obrigado.'],
  ] as const) {
    await page.getByLabelText('Message').fill(said);
    await click('Send');
    await expect.element(page.getByText(`user: ${said}`)).toBeVisible();
    await expect.element(page.getByText(answer)).toBeVisible();
  }
});

test('a message whose answer fails shows the error', async () => {
  show(<Chat />, [[noMoney], 'Obrigado.']);
  await page.getByLabelText('Message').fill('Thanks?');
  await click('Send');
  await expect.element(page.getByText(/No money left/)).toBeVisible();
});

test('a failed run continues, and a finished one is retried', async () => {
  show(<RetriedPlan />, [[noMoney], 'Take the tram.', 'Take a boat.']);
  await click('Plan my day');
  await expect.element(page.getByRole('alert')).toBeVisible();
  await click('Go on');
  await expect.element(page.getByText('Take the tram.')).toBeVisible();
  await click('Another answer');
  await expect.element(page.getByText('Take a boat.')).toBeVisible();
});

test('any moment of a run can be shown', async () => {
  const greet = definePrompt('greet', (prompt) => {
    prompt.$`Greet Ada.`;
  });
  const run = createRun(greet, { model: scriptedModel([[{ text: 'Hello, Ada.', chunkSize: 7 }]]) });
  await run.start();
  show(<Past run={run} />, ['Never said.']);
  await expect.element(page.getByText('done: Hello, Ada.')).toBeVisible();
  const firstDelta = run.log().findIndex(({ type }) => type === 'text-delta');
  await page.getByLabelText('Moment').fill(String(firstDelta));
  await expect.element(page.getByText('running: Hello,')).toBeVisible();
  await page.getByLabelText('Moment').fill('-1');
  await expect.element(page.getByText('idle:')).toBeVisible();
});

test('a fork continues independently', async () => {
  const model = show(<Variants />, ['Take the tram.', 'Walk.']);
  await click('Plan my day');
  await click('Try it beside');
  await expect.element(page.getByText('Walk.')).toBeVisible();
  expect(model.calls[1]?.prompt.map(({ role }) => role)).toEqual(['user', 'assistant', 'user']);
});

test('tasks are shown, done and skipped', async () => {
  const finish = call('finishTask', { result: 'Three flats.' });
  const model = show(<Chores />, [[finish], [{ delay: 60_000 }, 'Never said.']]);
  await expect.element(page.getByText('0 of 2, now: Find three flats')).toBeVisible();
  const items = page.getByRole('listitem');
  await expect
    .element(items.nth(1))
    .toHaveTextContent('Write to their owners: pending Skip “Write to their owners”');
  await expect.element(items.nth(1).getByRole('button')).toBeDisabled();
  await click('Begin');
  await expect.element(page.getByText('1 of 2, now: Write to their owners')).toBeVisible();
  await expect
    .element(items.nth(0))
    .toHaveTextContent('Find three flats: Three flats. Skip “Find three flats”');
  await expect.poll(() => model.calls.length).toBe(2);
  await click('Skip “Write to their owners”');
  await expect.element(page.getByText('All done')).toBeVisible();
});

test('tasks whose run fails show the error', async () => {
  show(<Chores />, [[noMoney]]);
  await click('Begin');
  await expect.element(page.getByText(/No money left/)).toBeVisible();
});

test('the model makes a task list, and the user adds a task', async () => {
  show(<Move />, [[call('createTask', { description: 'Pack' })], [{ delay: 60_000 }, 'Never said.']]);
  await click('And the post office');
  await expect.element(page.getByRole('alert')).toHaveTextContent('The run is not in progress.');
  await click('Help me move');
  await expect.element(page.getByText('Pack: pending')).toBeVisible();
  await click('And the post office');
  await expect.element(page.getByText('Tell the post office: pending')).toBeVisible();
});

test('components can each watch a part of the state', async () => {
  show(<Planner />, ['Take the tram.']);
  await expect.element(page.getByText('0 tokens')).toBeVisible();
  await click('Plan my day');
  await expect.element(page.getByText('Take the tram.')).toBeVisible();
  await expect.element(page.getByText('0 tokens', { exact: true })).not.toBeInTheDocument();
});

test('one run is shown in two places and used outside React by its id', async () => {
  mount(<Root />);
  await expect.element(page.getByRole('status')).toHaveTextContent('idle');
  planFromMenu('Porto');
  await expect.element(page.getByRole('status')).toHaveTextContent('done');
  expect(registry.get('today')?.getState().text).not.toBe('');
});

test('a page has its own provider', async () => {
  show(<PlanPage />, ['Take the tram.']);
  await click('Plan my day');
  await expect.element(page.getByRole('button', { name: 'Take the tram.' })).toBeVisible();
});

test('a run that a server has begun continues in the page', async () => {
  const complaints = watchConsole();
  const greet = definePrompt('plan-day', (prompt) => {
    prompt.$`Plan a day.`;
  });
  const run = createRun(greet, { model: scriptedModel(['Take the tram.']) });
  await run.start();
  show(<ServedPlan log={run.log()} />, ['Never said.']);
  await expect.element(page.getByText('done: Take the tram.')).toBeVisible();
  expect(complaints).not.toHaveBeenCalled();
});

test('a component suspends until the first text', async () => {
  show(<SuspendedPlan />, [[{ delay: 100 }, 'Take the tram.']]);
  await expect.element(page.getByText('Thinking …')).toBeVisible();
  await click('Plan my day');
  await expect.element(page.getByText('Take the tram.')).toBeVisible();
});

const complete = call('task_complete', { summary: 'Every 11 minutes.' });

test('a session as a prompt shows its calls and its result', async () => {
  const model = show(<Research />, [[call('search', { query: 'tram 28' })], 'Found it.', [complete]]);
  await click('Look it up');
  await expect.element(page.getByText('search: output-available')).toBeVisible();
  await expect.element(page.getByRole('status')).toHaveTextContent('Every 11 minutes.');
  expect(JSON.stringify(model.calls[0]?.prompt)).toContain('How often does tram 28 run?');
  expect(JSON.stringify(model.calls[2]?.prompt)).toContain('Please continue.');
});

test('a session as a prompt shows its error', async () => {
  show(<Research />, [[{ throw: { message: 'wrong key', status: 401 } }]]);
  await click('Look it up');
  await expect.element(page.getByText('wrong key', { exact: false })).toBeVisible();
});

test('a session shows that it is running, and can be stopped', async () => {
  show(
    (model) => <SessionDesk model={model} />,
    ['I look.', [{ text: 'Wait ' }, { text: 'for it', delay: 60_000 }]],
  );
  await click('Begin');
  await expect.element(page.getByRole('status')).toHaveTextContent('running, turn 2');
  await expect.element(page.getByText('Wait')).toBeVisible();
  await click('Stop');
  await expect.element(page.getByRole('status')).toHaveTextContent('stopped, turn 2');
});

test('an agent as a prompt shows that it is corrected', async () => {
  const model = show(<Receipt />, ['Hm.', '{"shop":"Pastelaria","total":3.5}']);
  await page.getByLabelText('Receipt').fill('Pastelaria, 2 coffees, 3.50');
  await click('Read');
  await expect.element(page.getByRole('status')).toHaveTextContent('3.5 euros');
  await expect.element(page.getByText('Pastelaria')).toBeVisible();
  expect(model.calls).toHaveLength(2);
});

test('an agent as a prompt shows that it found no answer', async () => {
  show(<Receipt />, ['a', 'b', 'c', 'd']);
  await page.getByLabelText('Receipt').fill('?');
  await click('Read');
  await expect.element(page.getByText('gave no valid answer', { exact: false })).toBeVisible();
});
