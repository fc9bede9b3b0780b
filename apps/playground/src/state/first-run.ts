import type { RunEvent } from '@cueline/core';
import { replay } from '@cueline/core/replay';
import { examples } from '../examples/index.ts';
import { showRecording } from './run-session.ts';
import { prefersReducedMotion } from '../ui/reduced-motion.ts';
import { usePlayground, type PlaygroundState } from './store.ts';

/** True if the user has done nothing here yet, and the first example is in the editor. */
export function isFirstVisit({ visited, script, session, view, notice }: PlaygroundState): boolean {
  const untouched = script === examples[0]?.source && session === undefined && notice === undefined;
  return !visited && untouched && view === 'script';
}

/**
 * Replays the recorded run of the first example to a first visitor, at its own pace. `until` is what the recording waits
 * for after its first event: on a slow computer, each of its frames would delay it.
 *
 * With reduced motion, the page shows the run's end at once, and plays it only if the user asks for it `again`.
 */
export async function replayFirstRun({ again = false, until }: ReplayOptions = {}): Promise<void> {
  if (!isFirstVisit(usePlayground.getState())) return;
  const { default: log } = await import('../examples/first-run.json');
  const state = usePlayground.getState();
  if (!isFirstVisit(state)) return;
  const speed = prefersReducedMotion() && !again ? Infinity : 1;
  // the build made the file, and a test checks it
  const recording = replay(log as readonly unknown[] as RunEvent[], { speed });
  if (until === undefined || speed === Infinity) return showRecording(state.script, recording);
  recording.pause();
  recording.seek(0);
  showRecording(state.script, recording);
  await until();
  recording.play();
}

type ReplayOptions = {
  again?: boolean;
  until?: () => Promise<void>;
};
