import { loadScriptEditor } from '../editor/load-script-editor.ts';
import {
  ApprovalDock,
  InputForm,
  InspectorPane,
  PreviewPane,
  ScriptChanges,
  TaskPanel,
  TimelineDock,
  Transcript,
} from '../panes/later-parts.tsx';
import { prepareRuns } from '../state/run-parts.ts';
import { usePlayground } from '../state/store.ts';
import { CopyStepLink } from './run-details.tsx';

/** What a run needs and the page is drawn without, what is needed first at the beginning. */
const loads: readonly (() => Promise<unknown>)[] = [
  prepareRuns,
  ...[
    Transcript,
    InspectorPane,
    TimelineDock,
    CopyStepLink,
    TaskPanel,
    ApprovalDock,
    InputForm,
    PreviewPane,
    ScriptChanges,
  ].map(({ load }) => load),
];

/**
 * Loads all of it before it is needed, so that a click on Run waits for nothing. The editor comes first: a user reads and
 * edits before running.
 */
export async function loadAhead(): Promise<void> {
  if (usePlayground.getState().view === 'script') await loadScriptEditor().catch(() => {});
  for (const load of loads) {
    await idle();
    // if that fails, perhaps without a network, the part itself tries again
    await load().catch(() => {});
  }
}

/** Resolves when the page has nothing else to do, or after a second. */
function idle(): Promise<void> {
  return new Promise((resolve) => {
    // Safari has none
    if (typeof requestIdleCallback === 'function') requestIdleCallback(() => resolve(), { timeout: 1_000 });
    else setTimeout(resolve, 50);
  });
}
