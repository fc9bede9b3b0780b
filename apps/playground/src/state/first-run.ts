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
 * Replays the recorded run of the first example to a first visitor, at its own pace. `load` loads what draws it. `until`
 * is what the recording waits for after its first event: on a slow computer, each of its frames would delay it. Resolves
 * when the page has drawn the first event, or if there is none to draw.
 *
 * With reduced motion, the page shows the run's end at once, and plays it only if the user asks for it `again`.
 */
export async function replayFirstRun({ again = false, load, until }: ReplayOptions = {}): Promise<void> {
  if (!isFirstVisit(usePlayground.getState())) return;
  usePlayground.setState({ opening: 'recording' });
  try {
    const loaded = load?.();
    const { default: log } = await import('../examples/first-run.json');
    await loaded;
    const state = usePlayground.getState();
    if (!isFirstVisit(state)) return;
    const speed = prefersReducedMotion() && !again ? Infinity : 1;
    // the build made the file, and a test checks it
    const recording = replay(log as readonly unknown[] as RunEvent[], { speed });
    if (until !== undefined && speed !== Infinity) {
      recording.pause();
      recording.seek(0);
      void until().then(() => recording.play());
    }
    showRecording(state.script, recording);
  } finally {
    usePlayground.setState({ opening: undefined });
  }
  await nextFrame();
}

/** Resolves when the browser has painted a frame, or at once while the page is hidden, when it paints none. */
function nextFrame(): Promise<void> {
  return new Promise((resolve) => {
    if (document.hidden) resolve();
    else requestAnimationFrame(() => setTimeout(resolve));
  });
}

type ReplayOptions = {
  again?: boolean;
  load?: () => Promise<unknown>;
  until?: () => Promise<void>;
};
