import { CuelineError, type PromptTypes, type RunState } from '@cueline/core';
import { hydrated } from './shared-run.ts';
import type { WatchedRun } from './subscribe-throttled.ts';
import { useRun } from './use-run.ts';

/**
 * How far a run must be: `hydrated` once its storage has been read, `first-text` once there is text, `done` once it
 * has ended.
 */
export type RunPoint = 'hydrated' | 'first-text' | 'done';

type WaitedRun<Types extends PromptTypes> = WatchedRun<Types> & { readonly restored: Promise<void> };

/**
 * The promises that suspended components wait for: one for each run and point, because Suspense needs a stable
 * promise.
 */
const waits = new WeakMap<object, Partial<Record<RunPoint, Promise<void>>>>();

/**
 * The state of a run that has reached `point`; until then the component suspends. If it waits for `done`, the
 * error of a run that fails or is stopped goes to the error boundary. It starts nothing: a run that is never
 * started suspends forever.
 *
 * @example
 * const { result } = useRunSuspense(run, 'done');
 */
export function useRunSuspense<Types extends PromptTypes>(
  run: WaitedRun<Types>,
  point: 'done',
): Extract<RunState<Types>, { status: 'done' }>;
export function useRunSuspense<Types extends PromptTypes>(
  run: WaitedRun<Types>,
  point: RunPoint,
): RunState<Types>;
export function useRunSuspense<Types extends PromptTypes>(
  run: WaitedRun<Types>,
  point: RunPoint,
): RunState<Types> {
  const state = useRun(run);
  if (!hasReached(run, state, point)) throw waitFor(run, point);
  if (point === 'done' && state.status === 'error') throw CuelineError.fromJSON(state.error);
  if (point === 'done' && state.status === 'stopped')
    throw new CuelineError('aborted', 'The run was stopped.');
  return state;
}

function hasReached(run: object, state: RunState, point: RunPoint): boolean {
  if (point === 'hydrated') return hydrated.has(run);
  const ended = ['done', 'error', 'stopped'].includes(state.status);
  return ended || (point === 'first-text' && state.text !== '');
}

function waitFor<Types extends PromptTypes>(run: WaitedRun<Types>, point: RunPoint): Promise<void> {
  const known = waits.get(run) ?? {};
  waits.set(run, known);
  // another start may leave a point that was reached
  return (known[point] ??= wait(run, point).then(() => void delete known[point]));
}

async function wait<Types extends PromptTypes>(run: WaitedRun<Types>, point: RunPoint): Promise<void> {
  if (point === 'hydrated') {
    await run.restored;
    hydrated.add(run);
    return;
  }
  await new Promise<void>((resolve) => {
    const look = (state: RunState<Types>): void => {
      if (!hasReached(run, state, point)) return;
      unsubscribe();
      resolve();
    };
    const unsubscribe = run.subscribe(look);
    look(run.getState());
  });
}
