import type { ApprovalDock } from '../approval/approval-dock.tsx';
import type { InspectorPane } from '../inspector/inspector-pane.tsx';
import type { TimelineDock } from '../timeline/timeline-dock.tsx';
import type { Transcript } from '../transcript/transcript.tsx';
import type { InputForm } from './input-form.tsx';
import type { PreviewPane } from './preview-pane.tsx';
import type { ScriptChanges } from './script-changes.tsx';

// what the page is drawn without, for React's lazy()

/** Loads the transcript, whose Markdown is a large part of the page's code. */
export function loadTranscript(): Promise<{ default: typeof Transcript }> {
  return import('../transcript/transcript.tsx').then((it) => ({ default: it.Transcript }));
}

/** Loads the form of a script's input. */
export function loadInputForm(): Promise<{ default: typeof InputForm }> {
  return import('./input-form.tsx').then((it) => ({ default: it.InputForm }));
}

/** Loads the preview of a script's first request. */
export function loadPreview(): Promise<{ default: typeof PreviewPane }> {
  return import('./preview-pane.tsx').then((it) => ({ default: it.PreviewPane }));
}

/** Loads the dialog with the changes of a script since its run. */
export function loadScriptChanges(): Promise<{ default: typeof ScriptChanges }> {
  return import('./script-changes.tsx').then((it) => ({ default: it.ScriptChanges }));
}

/** Loads what asks the user for approvals. */
export function loadApprovals(): Promise<{ default: typeof ApprovalDock }> {
  return import('../approval/approval-dock.tsx').then((it) => ({ default: it.ApprovalDock }));
}

/** Loads the inspector. */
export function loadInspector(): Promise<{ default: typeof InspectorPane }> {
  return import('../inspector/inspector-pane.tsx').then((it) => ({ default: it.InspectorPane }));
}

/** Loads the timeline. */
export function loadTimeline(): Promise<{ default: typeof TimelineDock }> {
  return import('../timeline/timeline-dock.tsx').then((it) => ({ default: it.TimelineDock }));
}

const parts = [
  loadTranscript,
  loadInspector,
  loadTimeline,
  loadApprovals,
  loadInputForm,
  loadPreview,
  loadScriptChanges,
];

/** Loads all of it before it is needed, so that a click shows it at once. */
export function loadAhead(): void {
  // if that fails, perhaps without a network, the part itself tries again
  for (const load of parts) load().catch(() => {});
}
