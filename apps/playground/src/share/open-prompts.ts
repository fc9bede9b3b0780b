import { isInProgress } from '@cueline/core';
import { readEvalSettings, readResults } from '../evals/eval-settings.ts';
import { useEvals } from '../evals/store.ts';
import { problemOfLog } from '../history/check-log.ts';
import { definitionOf } from '../prompts/definition-of.ts';
import { usePrompts } from '../prompts/store.ts';
import { readShared, type SharedPrompts } from '../prompts/stored-prompts.ts';
import { openLinkedRun, showLinkedRun } from '../state/run-session.ts';
import { usePlayground, type View } from '../state/store.ts';
import { isView } from '../state/stored-settings.ts';
import type { OpenedLink } from './link.ts';

type Shared = Extract<OpenedLink, { kind: 'prompts' | 'evaluation' }>;

/**
 * Shows the prompts of a link, with its run or its evaluation. Nothing runs. If the link cannot be opened, returns the
 * reason.
 */
export async function showPrompts(link: Shared, signal: AbortSignal): Promise<string | undefined> {
  const shared = readShared(link.prompts);
  if (shared === undefined) return 'The prompts in this link cannot be read. Ask for the link again.';
  if (usePlayground.getState().evaluating) {
    return 'An evaluation is in progress here. Stop it or wait until it ends, then open the link again.';
  }
  if (link.kind === 'evaluation') return showEvaluation(link.evaluation, shared);
  const { log } = link;
  const problem = log === undefined ? undefined : await problemOfLog(log);
  if (problem !== undefined)
    return `The run in this link cannot be shown: ${problem}. Ask for the link again.`;
  if (signal.aborted) return undefined;
  const { promptSession } = usePlayground.getState();
  if (log !== undefined && promptSession !== undefined && isInProgress(promptSession.run.getState())) {
    return 'A run is in progress here. Stop it or wait until it ends, then open the link again.';
  }
  usePrompts.getState().replace(shared);
  usePlayground.setState({ view: 'prompts', tab: 'editor' });
  if (log === undefined) return undefined;
  showLinkedRun({ prompts: shared }, openLinkedRun(log, definitionOf(shared, log)));
  usePrompts.setState({ tab: 'run' });
  return undefined;
}

function showEvaluation(evaluation: unknown, shared: SharedPrompts): string | undefined {
  const { settings, results } = (evaluation ?? {}) as { settings?: unknown; results?: unknown };
  const read = readEvalSettings(settings);
  const readable = results === undefined ? undefined : readResults(results);
  if (read === undefined || (results !== undefined && readable === undefined)) {
    return 'The evaluation in this link cannot be read. Ask for the link again.';
  }
  usePrompts.getState().replace(shared);
  useEvals.getState().replace(read, readable, shared.prompts);
  usePlayground.setState({ view: 'evals', tab: readable === undefined ? 'editor' : 'run' });
  return undefined;
}

/**
 * Returns a function that shows again what the Prompts and the Evals view show now, and the view that was open before
 * the link; with `onlyOwn` the user's own prompts and eval. `isAfterLink`: the page shows a link already.
 */
export function keepShown(isAfterLink: boolean): (onlyOwn: boolean) => void {
  const { promptSession } = usePlayground.getState();
  const view = viewBeforeLink(isAfterLink);
  const showKept = [usePrompts.getState().keepShown(), useEvals.getState().keepShown()];
  return (onlyOwn) => {
    for (const show of showKept) show(onlyOwn);
    usePlayground.setState({ view, promptSession, tab: 'editor', notice: undefined });
  };
}

/**
 * The view that was open before the link. The browser keeps it with the link over a reload, which begins in the
 * link's view. If the user goes back and then forward to the link, it is the view from which they went forward.
 */
function viewBeforeLink(isAfterLink: boolean): View {
  const kept: unknown = (history.state as { viewBeforeLink?: unknown } | null)?.viewBeforeLink;
  if (isAfterLink && isView(kept)) return kept;
  const { view } = usePlayground.getState();
  history.replaceState({ viewBeforeLink: view }, '');
  return view;
}

/** Calls `listener` once the prompts, their values or the eval change, until the returned function is called. */
export function watchEdits(listener: () => void): () => void {
  const stops = [
    usePrompts.subscribe(({ entries, values }, before) => {
      if (entries !== before.entries || values !== before.values) listener();
    }),
    useEvals.subscribe(({ settings }, before) => {
      if (settings !== before.settings) listener();
    }),
  ];
  return () => stops.forEach((stop) => stop());
}
