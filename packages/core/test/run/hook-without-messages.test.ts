import { expect, test } from 'vitest';
import * as z from 'zod';
import { play } from '../support.ts';

test.each([
  ['all', 0, () => []],
  ['all but a result without its call', 1, <Message>(messages: Message[]) => messages.slice(-1)],
])('a hook that cuts %s of the messages is told so', async (_what, step, cut) => {
  const { run, model } = await play(
    (prompt) => {
      prompt.defTool('look', 'Looks', z.object({}), () => 'seen');
      prompt.defHook(({ messages }) => ({ messages: cut(messages) }));
      prompt.$`Look.`;
    },
    [[{ toolCall: { name: 'look' } }], 'Seen.'],
  );
  expect(run.getState()).toMatchObject({
    status: 'error',
    error: {
      code: 'script_error',
      message: `A hook left no messages for step ${step}; a tool's result without its call counts as none. Keep some, such as [...messages.slice(0, 1), ...messages.slice(1).slice(-10)].`,
    },
  });
  expect(model.calls).toHaveLength(step);
});
