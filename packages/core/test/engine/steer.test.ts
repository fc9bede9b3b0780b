import { reduceAll } from '@cueline/core';
import { toUIMessageStream } from '@cueline/core/ai-sdk';
import { isRunEvent } from '@cueline/core/link';
import { experimental_createSteering as createSteering } from 'ai';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { call, go, play } from '../support.ts';

test('the state of a step has the feedback that the model read before it, live and in a replay', async () => {
  const { events, state } = await play(
    (prompt) => {
      prompt.defTaskList([{ task: 'Count to three' }]);
      prompt.$`Work through the tasks.`;
    },
    ['One.', 'Two.', [call('finishTask', { result: '1 2 3' })], 'Done.'],
  );
  const text =
    'The task list is not complete. This task is still open:\n[Task 1/1] Count to three\nFinish it with finishTask, and give its result.';
  const told = [{ id: expect.any(String) as string, cause: 'tasks', text }];
  expect(state.steps.map(({ steered }) => steered)).toStrictEqual([undefined, told, told, undefined]);
  expect(reduceAll(events)).toStrictEqual(state);
});

test('a file that the user sends between two steps is in the log, the state, a chat and later turns', async () => {
  const steering = createSteering();
  const data = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  const { events, state } = await play(
    go((prompt) =>
      prompt.defTool('look', '', z.object({}), () => {
        const content = [{ type: 'file', data, mediaType: 'image/png' } as const];
        void steering.steer({ role: 'user', content }, { id: 's' });
        return 'Nothing.';
      }),
    ),
    [[call('look')], 'I see.'],
    { options: { experimental_steering: steering } },
  );
  const parts = [{ type: 'file', mediaType: 'image/png', url: 'data:image/png;base64,iVBORw0KGgo=' }];
  const steer = events.find(({ type }) => type === 'steer');
  expect(steer).toMatchObject({ cause: 'user', text: '', parts });
  expect([isRunEvent(steer), isRunEvent({ ...steer, parts: 1 })]).toEqual([true, false]);
  const part = { type: 'steering-message', id: 's', parts };
  expect(state.messages.at(-1)?.parts).toContainEqual(part);
  const chunks: unknown[] = [];
  for await (const chunk of toUIMessageStream(events)) chunks.push(chunk);
  expect(chunks).toContainEqual(part);

  const later = await play((prompt) => prompt.$`Go.`, ['Yes.'], { messages: state.messages });
  const files = later.model.calls[0]!.prompt.flatMap(({ role, content }) =>
    role === 'user' ? content.filter(({ type }) => type === 'file') : [],
  );
  expect(files).toMatchObject([{ mediaType: 'image/png' }]);
});
