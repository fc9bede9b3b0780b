import { expect, test } from 'vitest';
import { openDesk } from './desk.ts';

test('the example refuses a letter with an outside file, and fetches nothing', async () => {
  const asked: string[] = [];
  const { address, ask } = await openDesk((request, response) => {
    asked.push(request.url ?? '');
    response.end('secret');
  });
  for (const letter of [
    { type: 'file', data: `${address}/secret`, mediaType: 'text/plain' },
    { type: 'file', data: address.replace('127.0.0.1', 'localhost'), mediaType: 'text/plain' },
    [{ type: 'image', image: `${address}/secret` }],
    { type: 'text', text: 'Hi.', providerOptions: { openai: { store: true } } },
  ]) {
    expect(await ask('/api/prompts', { prompt: 'read-booking', input: { letter } })).toMatchObject([
      400,
      { error: { code: 'invalid_input', message: expect.stringContaining('input.letter: ') as string } },
    ]);
  }
  expect(asked).toEqual([]);
});
