import { expect, test } from 'vitest';
import { openDesk } from './desk.ts';

test('new sessions of the example get no new budget: its proxy and its route share one total limit', async () => {
  const usage = { input_tokens: 4_999_000, output_tokens: 1_000 };
  let calls = 0;
  const { ask } = await openDesk((_request, response) => {
    calls += 1;
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ id: 'r1', object: 'response', output: [], usage }));
  });
  const callModel = () => ask('/api/models/openai/responses', { model: 'gpt-x', input: 'Hi.' });

  expect((await callModel())[0]).toBe(200);
  expect(calls).toBe(1);
  const refused = [503, { error: { code: 'total_exceeded' } }];
  expect(await callModel()).toMatchObject(refused);
  const routed = await ask('/api/prompts', { prompt: 'read-booking', input: { letter: 'Dear desk' } });
  expect(routed).toMatchObject(refused);
  expect(calls).toBe(1);
});
