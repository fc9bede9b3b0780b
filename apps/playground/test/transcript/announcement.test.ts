import { expect, test } from 'vitest';
import { announcement } from '../../src/transcript/announcement.ts';
import { agentsAtWork, called, firstStep, said, start, stateOf, usage, weather } from './run-events.ts';

test('announces steps, tools, agents and endings', () => {
  expect(announcement(stateOf(weather.slice(0, 3)))).toBe('Step 1.');
  expect(announcement(stateOf(weather.slice(0, 9)))).toBe('Running tool getWeather.');
  expect(announcement(stateOf(agentsAtWork))).toBe('Agent inner is working.');
  expect(announcement(stateOf(weather))).toBe('Run done. 1 tool call, 0 failed. Sunny.');
});

test('an answer is announced without the marks of Markdown', () => {
  const text =
    '## Plan\n\n- It is **24 °C** and `sunny`, see [the map](https://a.example).\n- snake_case and 2 * 3 stay';
  const state = stateOf([
    start,
    firstStep,
    ...said(text),
    { type: 'step-end', step: 0, finishReason: 'stop', usage },
    { type: 'run-end', outcome: 'done', finishReason: 'stop' },
  ]);
  expect(announcement(state)).toContain('Plan It is 24 °C and sunny, see the map. snake_case and 2 ');
  expect(announcement(state)).not.toMatch(/[#`[\]]|\*\*/);
});

test('an interrupted run is announced in the words of the page', () => {
  const error = {
    code: 'interrupted',
    message: 'The page of this run was closed. retry() continues it.',
  } as const;
  const state = stateOf([start, firstStep, { type: 'run-end', outcome: 'error', error }]);
  expect(announcement(state)).toBe(
    'Run failed. The page was closed or reloaded while this run was in progress. What had arrived is kept.',
  );
});

test('an error is announced with every character of its names', () => {
  const error = { code: 'script_error', message: 'Unknown name _CITY_. Write `USER_NAME`.' } as const;
  const state = stateOf([start, firstStep, { type: 'run-end', outcome: 'error', error }]);
  expect(announcement(state)).toBe('Run failed. Unknown name _CITY_. Write `USER_NAME`.');
});

test('the warning of a run without an answer is announced', () => {
  const message = 'The model ended its answer without a text.';
  const empty = stateOf([...weather.slice(0, 12), { type: 'warning', message }, ...weather.slice(-2)]);
  expect(announcement(empty)).toBe(`Run done. 1 tool call, 0 failed. ${message}`);
});

test('a call that waits is announced with the question of its card', () => {
  const ask = { toolCallId: 'c', toolName: 'readFile', input: {} };
  const waiting = [start, firstStep, ...called('c', 'readFile')];
  expect(announcement(stateOf([...waiting, { type: 'approval-request', approvalId: 'r', ...ask }]))).toBe(
    'Waiting for you: may readFile run?',
  );
  expect(
    announcement(stateOf([...waiting, { type: 'client-tool-request', clientCallId: 'r', ...ask }])),
  ).toBe('Waiting for you: what does readFile return?');
});
