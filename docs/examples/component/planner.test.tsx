import { scriptedModel } from '@cueline/core/testing';
import { PromptProvider } from '@cueline/react';
import { cleanup, configure, fireEvent, render, screen } from '@testing-library/react';
import { afterEach, expect, test, vi } from 'vitest';
import { Lunch } from '../react/client-tools.tsx';
import { Planner } from './planner.tsx';

// #region plan
// the first run of a file loads the AI SDK, which takes its time on a busy machine
configure({ asyncUtilTimeout: 10_000 });
afterEach(cleanup); // otherwise the next test finds this one's page, too

test('shows the plan, and the tool that it took', async () => {
  const model = scriptedModel([
    [{ toolCall: { name: 'getWeather', input: { city: 'Faro' } } }],
    'Go to the beach.',
  ]);
  render(
    <PromptProvider model={model}>
      <Planner />
    </PromptProvider>,
  );
  fireEvent.click(screen.getByRole('button', { name: 'Plan my day' }));
  expect(await screen.findByText('Go to the beach.')).toBeDefined();
  expect(screen.getByText('getWeather: output-available')).toBeDefined();
  expect(model.calls).toHaveLength(2); // what the model was sent, call by call
});
// #endregion

// #region failure
test('says why there is no plan', async () => {
  const model = scriptedModel([[{ throw: { message: 'no credit left', status: 402 } }]]);
  render(
    <PromptProvider model={model}>
      <Planner />
    </PromptProvider>,
  );
  fireEvent.click(screen.getByRole('button', { name: 'Plan my day' }));
  expect((await screen.findByRole('alert')).textContent).toContain('no credit left');
});
// #endregion

test('calls the function of a tool of the page', async () => {
  const coords = { latitude: 38.7, longitude: -9.1 };
  vi.stubGlobal('navigator', {
    geolocation: { getCurrentPosition: (found: (position: object) => void) => found({ coords }) },
  });
  const model = scriptedModel([[{ toolCall: { name: 'getLocation', input: {} } }], 'Try the Tasca.']);
  render(
    <PromptProvider model={model}>
      <Lunch />
    </PromptProvider>,
  );
  fireEvent.click(screen.getByRole('button', { name: 'Lunch' }));
  expect(await screen.findByText('Try the Tasca.')).toBeDefined();
  expect(JSON.stringify(model.calls[1]?.prompt)).toContain('38.7');
});
