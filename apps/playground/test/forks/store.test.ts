import { expect, test } from 'vitest';
import { keepSession, useForks } from '../../src/forks/store.ts';
import { openLinkedRun } from '../../src/state/run-session.ts';
import type { RunSession } from '../../src/state/store.ts';
import { sessionOf } from '../sessions.ts';
import { logOf, start, step } from '../transcript/run-events.ts';

const log = logOf([start, ...step(0, []), { type: 'run-end', outcome: 'done', finishReason: 'stop' }]);

const session = (id: string, parent?: string): RunSession =>
  sessionOf(openLinkedRun(log), {
    id,
    shared: true,
    ...(parent === undefined ? {} : { parent: { id: parent, turn: 0, step: 0 } }),
  });

test('50 sessions are kept: the oldest without forks is removed first', () => {
  keepSession(session('root'), 7);
  keepSession(session('fork', 'root'));
  for (let count = 0; count < 49; count += 1) keepSession(session(`run-${count}`));
  const { kept } = useForks.getState();
  expect(kept).toHaveLength(50);
  expect(kept.slice(0, 2).map((one) => one.session.id)).toEqual(['root', 'run-0']);
  expect(kept[0]).toMatchObject({ startedOn: 7, status: 'done', steps: 1 });
});

test('the next turn of a session takes its place', () => {
  useForks.setState({ kept: [] });
  const first = session('one');
  keepSession(first, 7);
  keepSession({ ...first, earlier: [{ log, state: first.run.getState() }] });
  expect(useForks.getState().kept).toMatchObject([
    // as in the history, the steps are those of both turns
    { session: { earlier: [{}] }, startedOn: 7, steps: 2 },
  ]);
});
