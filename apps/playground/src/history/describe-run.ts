import type { RunEvent, RunState } from '@cueline/core';
import { isInProgress } from '@cueline/core';
import { editedIn, hasOtherScript } from '../forks/fork-item.ts';
import { promptNameOf } from '../state/open-script.ts';
import { figuresOf, statesOf } from '../state/shown-run.ts';
import type { RunSession, RunSource } from '../state/store.ts';
import type { RunRow, StoredStatus } from './rows.ts';

/** The part of a stored run's row that follows from its session. */
export type DescribedRun = Pick<RunRow, 'status' | 'steps' | 'turns' | 'elapsed' | 'edited'>;

/** Returns what the history shows of a session in its current state. */
export function describeSession(session: Pick<RunSession, 'run' | 'earlier' | 'parent'>): DescribedRun {
  const { run, earlier, parent } = session;
  const edited = parent === undefined ? undefined : editedIn(session, parent);
  const state = run.getState();
  const { steps, turns, elapsed } = figuresOf(statesOf({ earlier, state }));
  return {
    status: statusOf(state),
    steps,
    turns,
    elapsed,
    ...(edited === undefined ? {} : { edited }),
  };
}

/** A run's status as it is stored. */
function statusOf(state: RunState): StoredStatus {
  if (state.status === 'error' && state.error.code === 'interrupted') return 'interrupted';
  if (state.status === 'waiting') return isInProgress(state) ? 'waiting' : 'stopped';
  return state.status === 'idle' ? 'running' : state.status;
}

/** True while the last turn of a log is in progress. */
export function isOpenEnded(log: readonly RunEvent[]): boolean {
  return log.at(-1)?.type !== 'run-end';
}

/** The title of a run until the user renames it: the name of the script or of the prompt. */
export function titleOf(source: RunSource, scriptName: string | undefined): string {
  if ('script' in source) return (scriptName ?? promptNameOf(source.script) ?? 'Untitled').slice(0, 200);
  const { prompts, selected } = (source.prompts ?? {}) as { prompts?: unknown; selected?: unknown };
  const prompt: unknown = Array.isArray(prompts) ? prompts[Number(selected)] : undefined;
  const { id } = (prompt ?? {}) as { id?: unknown };
  return typeof id === 'string' && id !== '' ? id.slice(0, 200) : 'Prompt';
}

/** Where a fork branches off from its parent, and what was edited there; undefined for other runs. */
export function forkLabel(row: RunRow, parent?: RunRow): string | undefined {
  const { parent: point, edited } = row;
  if (point === undefined) return undefined;
  return [
    `From step ${point.step + 1}${point.agent === undefined ? '' : ' of an agent'} of ${parent === undefined ? 'another run' : `“${parent.title}”`}`,
    ...(edited === undefined ? [] : [`${edited} edited`]),
    ...(hasOtherScript(row, parent) ? ['script edited'] : []),
  ].join(', ');
}
