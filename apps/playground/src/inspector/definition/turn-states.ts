import type { RunState } from '@cueline/core';
import type { ShownRun } from '../../state/shown-run.ts';

/** The turns of a conversation up to the one that is shown, each as its state. */
export function turnStates({ earlier, state }: ShownRun): RunState[] {
  return [...earlier.map((turn) => turn.state), state];
}
