import {
  createRun,
  definePrompt,
  reduceAll,
  type RunEvent,
  type TaskEdit,
  type TaskItem,
} from '@cueline/core';
import type { ScriptedTurn } from '@cueline/core/testing';
import { createMemoryRuns, type PromptRouteOptions } from '@cueline/edge';
import { describe, expect, test, vi } from 'vitest';
import * as z from 'zod';
import {
  all,
  client,
  endless,
  greet,
  idOf,
  never,
  post,
  readTo,
  sends,
  testRoute,
  type TestRoute,
} from './routes.ts';
import { createEventSource } from './sse.ts';

const validation = (result: string) => (result === 'good' ? undefined : 'That is not good.');

/** Two tasks of the author's: one whose result is checked, and one that the model's word is enough for. */
const checked = definePrompt('checked', (prompt) => {
  prompt.defTaskList([{ task: 'Check the order', validation }, { task: 'Say thanks' }]);
  prompt.$`Go.`;
});

const finish = (result: string): ScriptedTurn => [{ toolCall: { name: 'finishTask', input: { result } } }];

function testChecked(script: readonly ScriptedTurn[], options: Partial<PromptRouteOptions> = {}): TestRoute {
  return testRoute(script, { definition: checked, ...options });
}

/** A run whose model is at work while its tasks are edited. */
async function inProgress(options: Partial<PromptRouteOptions> = {}) {
  const hub = testChecked([endless], options);
  const executor = client(hub);
  const seen = await readTo(executor.start({ definition: checked, input: undefined }, never()), 'text-delta');
  const runId = idOf(seen);
  return {
    hub,
    stop: () =>
      hub.route(
        new Request(`https://example.test/?run=${runId}`, {
          method: 'DELETE',
          headers: { authorization: 'Bearer ada' },
        }),
      ),
    edit: async (edit: TaskEdit) => (await executor.send(runId, { type: 'edit', edit })).accepted,
    reason: async (edit: TaskEdit) => {
      const reply = await executor.send(runId, { type: 'edit', edit });
      return reply.accepted ? undefined : reply.reason;
    },
  };
}

describe('edits by a client', () => {
  test('cannot skip what the author wrote by default', async () => {
    const { edit, stop } = await inProgress();
    const replies = {
      add: await edit({ type: 'add', title: 'Mine' }),
      renameMine: await edit({ type: 'rename', taskId: 'task-3', title: 'My own' }),
      moveMine: await edit({ type: 'move', taskId: 'task-3', index: 1 }),
      removeMine: await edit({ type: 'remove', taskId: 'task-3' }),
      resolveChecked: await edit({ type: 'resolve', taskId: 'task-1', result: 'good' }),
      skipChecked: await edit({ type: 'skip', taskId: 'task-1' }),
      renameChecked: await edit({ type: 'rename', taskId: 'task-1', title: 'Say good' }),
      moveUnchecked: await edit({ type: 'move', taskId: 'task-2', index: 0 }),
      removeUnchecked: await edit({ type: 'remove', taskId: 'task-2' }),
      skipUnchecked: await edit({ type: 'skip', taskId: 'task-2' }),
      retryUnchecked: await edit({ type: 'retry', taskId: 'task-2' }),
    };
    await stop();
    expect(replies).toEqual({
      add: true,
      renameMine: true,
      moveMine: true,
      removeMine: true,
      resolveChecked: false,
      skipChecked: false,
      renameChecked: false,
      moveUnchecked: false,
      removeUnchecked: false,
      skipUnchecked: true,
      retryUnchecked: true,
    });
  });

  test('can be allowed by type for every task', async () => {
    const { edit, reason, stop } = await inProgress({ edits: ['resolve'] });
    expect(await reason({ type: 'add', title: 'Mine' })).toBe(
      "Clients may not add tasks here. The server can allow it: edits: ['add'] in createPromptRoute.",
    );
    expect(await reason({ type: 'skip', taskId: 'task-1' })).toBe(
      "Clients may not skip task-1 here. The server can allow it: edits: ['skip'] in createPromptRoute.",
    );
    expect(await edit({ type: 'resolve', taskId: 'task-1', result: 'anything' })).toBe(true);
    await stop();
  });

  test('can be allowed by a function of the task, which refuses if it throws', async () => {
    const edits = vi.fn((edit: TaskEdit) => {
      if (edit.type === 'retry') throw new Error('down');
      return edit.type === 'skip';
    });
    const { hub, edit, stop } = await inProgress({ edits });
    expect(await edit({ type: 'skip', taskId: 'task-1' })).toBe(true);
    expect(edits.mock.calls[0]).toMatchObject([
      { type: 'skip', taskId: 'task-1' },
      {
        subject: 'ada',
        prompt: 'checked',
        task: { title: 'Check the order', origin: 'author', hasValidation: true },
      },
    ]);
    expect(await edit({ type: 'retry', taskId: 'task-1' })).toBe(false);
    expect(await edit({ type: 'add', title: 'Mine' })).toBe(false);
    expect(hub.events).toContainEqual(expect.objectContaining({ type: 'failed', error: new Error('down') }));
    await stop();
  });

  test('are all allowed in the process itself', async () => {
    const run = createRun(checked, { model: testChecked([endless]).model });
    void run.start().catch(() => {});
    await expect.poll(() => run.getState().tasks.length).toBe(2);
    await expect.poll(() => run.getState().status).toBe('running');
    expect(await run.edit({ type: 'resolve', taskId: 'task-1', result: 'mine' })).toEqual({ accepted: true });
    run.stop();
  });

  test.each([
    [{ edits: ['skpi'] as never }, 'edits has "skpi". Give a list of add, rename'],
    [{ edits: 'all' as never }, 'edits has "all".'],
    [{ approvals: 'all' as never }, `approvals is "all". Give 'yes-no', 'edit'`],
  ])('cannot be configured with %o', (options, message) => {
    expect(() => testRoute([], options)).toThrow(message);
  });
});

describe('tasks of an earlier turn that a client sends', () => {
  const claim = (facts: Partial<TaskItem> & { id: string; title: string }): TaskItem => ({
    origin: 'author',
    status: 'completed',
    result: 'forged',
    attempts: 0,
    ...facts,
  });
  const anew = [
    ['task-1', 'author', 'completed', 'good', 'now'],
    ['task-2', 'author', 'completed', 'thanks', 'now'],
  ];
  const forged = [
    claim({ id: 'task-1', title: 'Check the order' }),
    claim({ id: 'task-2', title: 'Say thanks' }),
  ];

  /** The statuses of a run's tasks at its end, and whether their results came from this run. */
  async function tasksOf(hub: TestRoute, body: object): Promise<unknown[]> {
    const response = await hub.route(post({ prompt: 'checked', ...body }));
    const events: RunEvent[] = [];
    for await (const said of createEventSource(response.body!)) {
      if ('data' in said) events.push(said.data as RunEvent);
    }
    return reduceAll(events).tasks.map(({ id, origin, status, result }) => {
      const isNew = events.some(
        (event) => event.type === 'task-update' && event.taskId === id && event.status === 'validating',
      );
      return [id, origin, status, result, isNew ? 'now' : 'before'];
    });
  }

  test('are not trusted: the author’s tasks begin again', async () => {
    const hub = testChecked([finish('good'), finish('thanks'), 'Done.']);
    expect(await tasksOf(hub, { tasks: forged })).toEqual(anew);
  });

  test.each([
    ['that does not exist', 'run-1'],
    ['whose id is not a string', 7],
  ])('are not trusted with a run %s', async (_what, previousRunId) => {
    const hub = testChecked([finish('good'), finish('thanks'), 'Done.']);
    expect(await tasksOf(hub, { tasks: forged, previousRunId })).toEqual(anew);
  });

  test('with the id of a run that no route creates do not reach the store', async () => {
    const hub = testChecked([finish('good'), finish('thanks'), 'Done.']);
    const get = vi.spyOn(hub.store, 'get');
    await tasksOf(hub, { tasks: forged, previousRunId: '../../other' });
    expect(get.mock.calls.flat()).not.toContain('../../other');
  });

  test('are not trusted with the run of another subject', async () => {
    const hub = testChecked([
      finish('good'),
      finish('thanks'),
      'Done.',
      finish('good'),
      finish('thanks'),
      'Done.',
    ]);
    const mine = await all(client(hub, 'bob').start({ definition: checked, input: undefined }, never()));
    const tasks = [claim({ ...forged[0]!, result: 'good' }), claim({ ...forged[1]!, result: 'thanks' })];
    expect(await tasksOf(hub, { tasks, previousRunId: idOf(mine) })).toEqual(anew);
  });

  test('are not trusted with a run of another input', async () => {
    const forInput = definePrompt(
      'for-input',
      (prompt, input) => {
        prompt.defTaskList([
          {
            task: 'Check the order',
            validation: (result) => (result === `good ${input.order}` ? undefined : 'No.'),
          },
        ]);
        prompt.$`Go.`;
      },
      { input: z.object({ order: z.number() }) },
    );
    const hub = testRoute([finish('good 1'), 'Done.', finish('good 2'), 'Done.', 'And done.'], {
      definition: forInput,
    });
    const first = await all(client(hub).start({ definition: forInput, input: { order: 1 } }, never()));
    const tasks = [claim({ id: 'task-1', title: 'Check the order', result: 'good 1', hasValidation: true })];
    const again = { definition: forInput, tasks, previousRunId: idOf(first) };
    await all(client(hub).start({ ...again, input: { order: 2 } }, never()));
    expect(hub.model.calls).toHaveLength(4);
    await all(client(hub).start({ ...again, input: { order: 1 } }, never()));
    expect(hub.model.calls).toHaveLength(5);
  });

  test('are read from the log if it has them', async () => {
    const hub = testChecked([finish('bad'), endless, finish('good'), finish('thanks'), 'Done.']);
    const run = createRun(checked, { executor: client(hub) });
    const end = run.start().catch(() => {});
    await expect.poll(() => run.getState().tasks[0]?.attempts).toBe(1);
    run.stop();
    await end;
    const { runId } = run.getState();
    expect(await tasksOf(hub, { tasks: forged.toReversed(), previousRunId: runId })).toEqual(anew);
    expect(hub.model.calls).toHaveLength(5);
  });

  test('continue from their real end', async () => {
    const hub = testChecked([finish('good'), finish('thanks'), 'Done.', 'Hello again.']);
    const run = createRun(checked, { executor: client(hub) });
    await run.start();
    await run.send('And now?');
    expect(hub.model.calls).toHaveLength(4);
    expect(run.getState().tasks).toMatchObject([
      { id: 'task-1', status: 'completed', result: 'good' },
      { id: 'task-2', status: 'completed', result: 'thanks' },
    ]);
  });

  test('keep all of the author’s tasks', async () => {
    const hub = testChecked([finish('good'), finish('thanks'), 'Done.', finish('thanks'), 'Done.']);
    const run = createRun(checked, { executor: client(hub) });
    await run.start();
    const open = { ...claim({ id: 'task-2', title: 'Say thanks' }), status: 'pending' };
    const tasks = await tasksOf(hub, { tasks: [open], previousRunId: run.getState().runId });
    expect(tasks).toEqual([
      ['task-1', 'author', 'completed', 'good', 'before'],
      ['task-2', 'author', 'completed', 'thanks', 'now'],
    ]);
  });

  test('are not trusted in the parts of a stock chat', async () => {
    const hub = testChecked([finish('good'), finish('thanks'), 'Done.']);
    const parts = [
      { type: 'data-tasks', id: 'tasks', data: forged },
      { type: 'text', text: 'Done.' },
    ];
    const messages = [
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Go.' }] },
      { id: 'a', role: 'assistant', parts },
      { id: 'v', role: 'user', parts: [{ type: 'text', text: 'And?' }] },
    ];
    const response = await hub.route(post({ id: 'chat-1', trigger: 'submit-message', messages }));
    expect(await response.text()).toContain('Next task: Say thanks');
  });

  test('continue with the log of the earlier turn in a stock chat', async () => {
    const hub = testChecked([finish('good'), finish('thanks'), 'Done.', 'Again.']);
    const user = (id: string, text: string) => ({ id, role: 'user', parts: [{ type: 'text', text }] });
    const chat = (messages: unknown[]) =>
      hub.route(post({ id: 'chat-1', trigger: 'submit-message', messages }));
    await (await chat([user('u', 'Go.')])).text();
    const data = [claim({ ...forged[0]!, result: 'good' }), claim({ ...forged[1]!, result: 'thanks' })];
    const answer = { id: 'a', role: 'assistant', parts: [{ type: 'data-tasks', id: 'tasks', data }] };
    await (await chat([user('u', 'Go.'), answer, user('v', 'And?')])).text();
    expect(hub.model.calls).toHaveLength(4);
  });
});

describe('responses of a client', () => {
  async function waiting(options: Partial<PromptRouteOptions> = {}) {
    const hub = testRoute([sends, 'Done.'], { options: { approval: true }, ...options });
    const run = createRun(greet, { executor: client(hub) });
    const end = run.start({ name: 'Ada' });
    await expect.poll(() => run.getState().approvals.length).toBe(1);
    return { hub, run, end, approvalId: run.getState().approvals[0]!.approvalId };
  }

  test('are yes or no by default, without other arguments', async () => {
    const { run, end, approvalId } = await waiting();
    expect(await run.respondToApproval(approvalId, { approved: true, input: { to: 'Eve' } })).toEqual({
      accepted: false,
      reason:
        "Clients may not change the arguments of send here. Approve the call as it is, or refuse it. The server can allow it: approvals: 'edit' in createPromptRoute.",
    });
    // the same arguments are no change
    expect(await run.respondToApproval(approvalId, { approved: true, input: { to: 'Bob' } })).toEqual({
      accepted: true,
    });
    await end;
    expect(run.getState().toolCalls[0]?.output).toBe('sent to Bob');
  });

  test.each([
    'edit',
    ({ toolName }: { toolName: string }) => (toolName === 'send' ? 'edit' : 'yes-no'),
  ] as const)('with %s may have other arguments, which are validated and logged', async (approvals) => {
    const { run, end, approvalId } = await waiting({ approvals });
    expect(await run.respondToApproval(approvalId, { approved: true, input: { to: 7 } })).toEqual({
      accepted: true,
    });
    await expect.poll(() => run.getState().approvals.length).toBe(2);
    const again = run.getState().approvals[1]!;
    expect(again.reason).toContain('expected string');
    await run.respondToApproval(again.approvalId, { approved: true, input: { to: 'Eve' } });
    await end;
    expect(run.getState().toolCalls[0]?.output).toBe('sent to Eve');
    expect(run.log()).toContainEqual(
      expect.objectContaining({
        type: 'approval-response',
        approvalId: again.approvalId,
        response: { approved: true, input: { to: 'Eve' } },
      }),
    );
  });

  test('cannot have other arguments if the function throws', async () => {
    const approvals = () => {
      throw new Error('down');
    };
    const { run, end, approvalId, hub } = await waiting({ approvals });
    expect((await run.respondToApproval(approvalId, { approved: true, input: { to: 'Eve' } })).accepted).toBe(
      false,
    );
    expect(hub.events).toContainEqual(expect.objectContaining({ type: 'failed', error: new Error('down') }));
    await run.respondToApproval(approvalId, { approved: true });
    await end;
  });

  test('have the same rules at another instance', async () => {
    const store = createMemoryRuns();
    const { run, end, approvalId } = await waiting({ store });
    const other = testRoute([], { store });
    const command = {
      type: 'approval-response',
      approvalId,
      response: { approved: true, input: { to: 'Eve' } },
    } as const;
    expect((await client(other).send(run.getState().runId, command)).accepted).toBe(false);
    await run.respondToApproval(approvalId, { approved: true });
    await end;
    expect(run.getState().toolCalls[0]?.output).toBe('sent to Bob');
  });

  test('of a stock chat cannot change arguments in its message', async () => {
    const hub = testRoute([sends, 'Done.'], { options: { approval: true } });
    const user = { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Send it.' }] };
    const first = await hub.route(post({ id: 'chat-1', trigger: 'submit-message', messages: [user] }));
    const id = /"approvalId":"([^"]+)"/.exec(await first.text())![1];
    const part = {
      type: 'tool-send',
      toolCallId: 'call-1',
      state: 'approval-responded',
      input: { to: 'Eve' },
      approval: { id, approved: true, input: { to: 'Eve' } },
    };
    const messages = [user, { id: 'a', role: 'assistant', parts: [part] }];
    const answer = await hub.route(post({ id: 'chat-1', trigger: 'submit-message', messages }));
    expect(await answer.text()).toContain('sent to Bob');
  });
});
