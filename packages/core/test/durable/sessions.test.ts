import { tool } from '@cueline/core';
import { suspend } from '@cueline/core/agents';
import { experimental_createSteering as createSteering } from 'ai';
import { expect, test } from 'vitest';
import * as z from 'zod';
import { complete } from '../agents/session/sessions.ts';
import { calls } from '../support.ts';
import {
  createStore,
  planned,
  stateOf,
  work,
  workerFor,
  workToEnd,
  type Worker,
} from '../support/durable-runs.ts';
import { research } from '../support/session-scripts.ts';

test('the limit of turns counts the turns of all processes, and the session has one id', async () => {
  const ids = new Set<string>();
  const store = createStore();
  const definition = research({ onTurnStart: (id) => void ids.add(id) }, { maxTurns: 3 });
  const turns = Array.from({ length: 9 }, (_, index) => calls(['look', { at: `${index}` }]));
  await workToEnd({ store, definition, model: () => planned(turns) });
  expect(stateOf(store)).toMatchObject({
    status: 'error',
    error: { code: 'budget_exceeded', details: { limit: 'turns' } },
  });
  expect(stateOf(store).steps).toHaveLength(3);
  expect([...ids]).toEqual(['run-1']);
});

test('a file that the user has sent to a session between two turns is sent by later processes, too', async () => {
  const files: unknown[] = [];
  const worker = workerFor(research(), ({ prompt }) => {
    const users = prompt.flatMap(({ role, content }) => (role === 'user' ? content : []));
    files.push(users.flatMap((part) => (part.type === 'file' ? [[part.mediaType, part.filename]] : [])));
    return [calls(['look', { at: 'a' }]), complete()];
  });
  const steering = createSteering();
  const data = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a);
  const file = { type: 'file', data, mediaType: 'image/png', filename: 'stop.png' } as const;
  void steering.steer({ role: 'user', content: [{ type: 'text', text: 'From here.' }, file] });
  await work({ ...worker, options: { experimental_steering: steering } });
  await workToEnd(worker);
  const sent = [['image/png', 'stop.png']];
  expect(files).toEqual([sent, sent]);
});

test('a session waits for an approval without a process, and a suspended call ends it as waiting', async () => {
  const done: string[] = [];
  const send = tool(
    'send',
    'Sends',
    z.object({}),
    () => {
      done.push('send');
      return 'sent';
    },
    { needsApproval: true },
  );
  const ask = tool('ask', 'Asks', z.object({}), () => suspend({ question: 'Which?' }));
  const store = createStore();
  const definition = research({}, { tools: [send, ask] });
  const worker: Worker = {
    store,
    definition,
    model: () => planned([calls(['send']), 'Hm.', calls(['ask'])]),
  };
  const first = await work(worker);
  if (first.status !== 'waiting') throw new Error(first.status);
  const [approvalId] = first.approvalIds as [string];
  await workToEnd(worker, [{ type: 'approval-response', approvalId, response: { approved: true } }]);
  expect(done).toEqual(['send']);
  expect(stateOf(store).status).toBe('waiting');
  expect(store.events.at(-1)).toMatchObject({ type: 'run-end', outcome: 'waiting' });
});
