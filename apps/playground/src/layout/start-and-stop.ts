import { startRun, stopRun } from '../state/run-session.ts';
import { usePlayground } from '../state/store.ts';

/** Runs the open view: the script, the prompt or the eval. */
export function startOpenView(): void {
  const { view } = usePlayground.getState();
  if (view === 'script') startRun();
  // loaded with its view already
  else if (view === 'prompts') void import('../prompts/start-prompt.ts').then((it) => it.startPrompt());
  else void import('../evals/start-eval.ts').then((it) => it.startEval());
}

/** Stops what is in progress in the open view. */
export function stopOpenView(): void {
  if (usePlayground.getState().view === 'evals') {
    void import('../evals/start-eval.ts').then((it) => it.stopEval());
  } else stopRun();
}
