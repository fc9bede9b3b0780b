import { loadScriptEditor } from '../editor/load-script-editor.ts';
import { idle, waitForEditor } from '../editor/wait-for-editor.ts';
import {
  ApprovalDock,
  InputForm,
  InspectorPane,
  PastBar,
  PreviewPane,
  ScriptChanges,
  SessionForks,
  SharedRunBar,
  TaskPanel,
  TimelineDock,
  Transcript,
} from '../panes/lazy-panes.tsx';
import { prepareRuns } from '../state/script-runner.ts';
import { usePlayground } from '../state/store.ts';
import { isNarrow } from '../state/theme.ts';
import { CopyStepLink } from './run-details.tsx';

/** The modules that a run needs and the first paint does not, in the order in which they are needed. */
const loads: readonly (() => Promise<unknown>)[] = [
  prepareRuns,
  ...[
    Transcript,
    SessionForks,
    InspectorPane,
    TimelineDock,
    PastBar,
    SharedRunBar,
    CopyStepLink,
    TaskPanel,
    ApprovalDock,
    InputForm,
    PreviewPane,
    ScriptChanges,
  ].map(({ load }) => load),
];

/**
 * Loads these modules ahead, so that a run starts at once. The editor comes first, because users read and edit a script
 * before they run it.
 */
export async function preload(): Promise<void> {
  if (usePlayground.getState().view === 'script') {
    await loadScriptEditor().catch(() => {});
    // on a phone, the editor shows when the user opens its tab
    if (!isNarrow()) await waitForEditor();
  }
  for (const load of loads) {
    await idle();
    // if that fails, for example without a network, the part itself tries again
    await load().catch(() => {});
  }
}
