import { runPrompt, type EditReply } from '@cueline/core';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { call } from '../support.ts';

test('a task of an agent can be edited in the listener that receives it', async () => {
  const agentModel = scriptedModel([[call('finishTask', { result: 'ok' })], 'Done.']);
  const { run } = await runPrompt(
    (prompt) => {
      prompt.defAgent(
        'cook',
        'Cooks',
        z.object({}),
        (_args, own) => {
          own.defTaskList([{ task: 'Peel potatoes' }]);
          own.$`Cook.`;
        },
        { model: agentModel },
      );
      prompt.$`Let the cook cook.`;
    },
    { model: scriptedModel([[call('cook', {}, 'c')], 'It is cooked.']) },
  );
  const replies: Promise<EditReply>[] = [];
  run.listen(({ type, agent }) => {
    if (type !== 'task-add') return;
    replies.push(run.edit({ type: 'rename', taskId: 'task-1', title: 'Peel carrots' }, agent));
  });
  const { status, agents } = await run.finished;
  expect(await Promise.all(replies)).toEqual([{ accepted: true }]);
  expect(status).toBe('done');
  expect(agents[0]!.tasks.map(({ title, status }) => [title, status])).toEqual([
    ['Peel carrots', 'completed'],
  ]);
  expect(JSON.stringify(agentModel.calls[0]!.prompt)).toContain('[Task 1/1] Peel carrots');
});
