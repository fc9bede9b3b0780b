import type { RunEvent } from '@cueline/core';
import { replay } from '@cueline/core/replay';
import { examples } from '../examples/index.ts';
import { prefersReducedMotion } from '../ui/reduced-motion.ts';
import { showRecording } from './run-session.ts';
import { usePlayground, type PlaygroundState } from './store.ts';

/** True if the user has done nothing here yet, and the first example is in the editor. */
export function isFirstVisit({ visited, script, session, view, notice }: PlaygroundState): boolean {
  const untouched = script === examples[0]?.source && session === undefined && notice === undefined;
  return !visited && untouched && view === 'script';
}

/** The longest that the page waits for the recording, in milliseconds: a request may get no answer. */
const MAX_WAIT_MS = 3_000;

/**
 * Replays the recorded run of the first example to a first visitor, at its own pace. `load` loads the components that
 * draw it. The recording pauses after its first event until `until` resolves: on a slow computer, its frames would
 * delay that. Resolves once the page has drawn the first event, or after three seconds; at once if the visitor was
 * here before.
 *
 * With reduced motion, the page shows the run's end at once, and plays it only if the user asks for it `again`.
 */
export async function replayFirstRun(options: ReplayOptions = {}): Promise<void> {
  if (!isFirstVisit(usePlayground.getState())) return;
  usePlayground.setState({ loadingRecording: true });
  try {
    await Promise.race([showFirstRun(options), wait(MAX_WAIT_MS)]);
  } finally {
    usePlayground.setState({ loadingRecording: false });
  }
}

async function showFirstRun({ again = false, load, until }: ReplayOptions): Promise<void> {
  const [{ default: log }] = await Promise.all([import('../examples/first-run.json'), load?.()]);
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
  await nextFrame();
}

function wait(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Resolves when the browser has painted the next frame. It paints none while the page is hidden. */
function nextFrame(): Promise<void> {
  return new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));
}

type ReplayOptions = {
  again?: boolean;
  load?: () => Promise<unknown>;
  until?: () => Promise<void>;
};
