import { createRun, definePrompt } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';
import { call } from '../support.ts';
import { ran } from '../support/runs.ts';

const hello = definePrompt('hello', (prompt) => prompt.$`Hi.`);
const write = "Write send('Hello!'), or send({ parts: [{ type: 'text', text: 'Hello!' }] }).";
const file = { type: 'file', mediaType: 'text/plain', url: 'data:text/plain,hi' };

describe('the argument of send', () => {
  test.each<[unknown, string]>([
    [7, '7.'],
    [undefined, 'undefined.'],
    [' ', 'an empty text, which models refuse.'],
    [[], 'a list.'],
    [{ text: 'Hello!' }, 'an object without parts.'],
    [{ role: 'user', content: 'Hello!' }, 'a message with content instead of parts.'],
    [{ parts: [] }, 'a message whose parts are empty, which models refuse.'],
    [
      { parts: [{ type: 'text', text: ' ' }, { type: 'text' }] },
      'a message whose parts are empty, which models refuse.',
    ],
    [{ parts: ['Hello!'] }, 'a message in which a part has no type.'],
    [{ parts: [{ type: 'text', text: 'Hello!' }, null] }, 'a message in which a part has no type.'],
  ])('cannot be %j', async (message, what) => {
    const { run, model } = await ran(hello, ['Hello.']);
    await expect(run.send(message as never)).rejects.toMatchObject({
      code: 'invalid_options',
      message: `send takes a string or a message, but got ${what} ${write}`,
    });
    expect(run.getState()).toMatchObject({ status: 'done', text: 'Hello.' });
    expect(model.calls).toHaveLength(1);
  });

  test.each([
    ['blob:https://app.example/7f1c', "'blob:https://app.example/7f1c'"],
    ['/pictures/tram.png', "'/pictures/tram.png'"],
    ['file:///home/ada/tram.png', "'file:///home/ada/tram.png'"],
    [new Uint8Array(3), 'an object'],
    [undefined, 'undefined'],
  ])('cannot have a file at %s, which would make every later message fail', async (url, what) => {
    const { run } = await ran(hello, ['Hello.', 'Hello again.']);
    const message = {
      parts: [
        { type: 'text', text: 'Look.' },
        { ...file, url },
      ],
    };
    await expect(run.send(message as never)).rejects.toMatchObject({
      code: 'invalid_options',
      message: `send takes a string or a message, but got a file whose url is ${what}, which no model can read. Write it as a data URL, as convertFileListToFileUIParts of the AI SDK does, or as an http(s) URL.`,
    });
    expect(await run.send('Hello!')).toBe('Hello again.');
  });

  test.each([
    ['Hello!'],
    [{ parts: [{ ...file, url: '', providerReference: { openai: 'file-1' } }] }],
    [{ parts: [{ type: 'text', text: 'Hello!' }] }],
    [{ parts: [file, { type: 'text', text: '' }] }],
  ])('can be %j', async (message) => {
    const { run } = await ran(hello, ['Hello.', 'Hello again.']);
    expect(await run.send(message as never)).toBe('Hello again.');
  });
});

test('the model still reads in the next turn which call the user has changed', async () => {
  const pay = definePrompt('pay', (prompt) => {
    const amount = z.object({ amount: z.number() });
    prompt.defTool('pay', '', amount, ({ amount }) => ({ paid: amount }), { needsApproval: true });
    prompt.$`Pay.`;
  });
  // the model uses one id twice
  const turns = [1, 50].map((amount) => [call('pay', { amount }, 'same')]);
  const model = scriptedModel([...turns, 'Paid.', 'You are welcome.']);
  const run = createRun(pay, { model });
  run.listen((event) => {
    if (event.type !== 'approval-request') return;
    const { amount } = event.input as { amount: number };
    const input = { amount: Math.min(amount, 5) };
    void run.respondToApproval(event.approvalId, { approved: true, input });
  });
  await run.start();
  await run.send('Thanks.');
  const [, , last, next] = model.calls.map(({ prompt }) =>
    JSON.stringify(prompt.flatMap(({ role, content }) => (role === 'tool' ? content : []))),
  );
  expect(last!.split('The user ran it with other arguments')).toHaveLength(2);
  expect(next).toBe(last);
});
