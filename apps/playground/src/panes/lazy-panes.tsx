import type { ReactNode } from 'react';
import { lazyComponent } from './lazy-component.tsx';

/** The placeholder for those details of a run that are not drawn yet. */
export const loading: ReactNode = <div aria-busy className="flex-1 bg-panel" />;

// the parts of a run, which the first paint does not need

/** The transcript; its Markdown is a large part of the page's code. */
export const Transcript = lazyComponent(
  () => import('../transcript/transcript.tsx').then((it) => it.Transcript),
  <div aria-busy className="min-h-0 flex-1" />,
);
/** The tree of a run and its forks. */
export const SessionForks = lazyComponent(() =>
  import('../forks/session-forks.tsx').then((it) => it.SessionForks),
);
/** The task list of a run. */
export const TaskPanel = lazyComponent(() => import('../tasks/task-panel.tsx').then((it) => it.TaskPanel));
/** The cards that ask the user for approvals. */
export const ApprovalDock = lazyComponent(() =>
  import('../approval/approval-dock.tsx').then((it) => it.ApprovalDock),
);
/** The inspector of a run. */
export const InspectorPane = lazyComponent(
  () => import('../inspector/inspector-pane.tsx').then((it) => it.InspectorPane),
  loading,
);
/** The timeline of a run. */
export const TimelineDock = lazyComponent(
  () => import('../timeline/timeline-dock.tsx').then((it) => it.TimelineDock),
  loading,
);
/** The bar above a run at an earlier moment. */
export const PastBar = lazyComponent(() => import('./past-bar.tsx').then((it) => it.PastBar));
/** The form of a script's input. */
export const InputForm = lazyComponent(() => import('./input-form.tsx').then((it) => it.InputForm));
/** The preview of a script's first request. */
export const PreviewPane = lazyComponent(
  () => import('./preview-pane.tsx').then((it) => it.PreviewPane),
  <div aria-busy className="flex-1 bg-page" />,
);
/** The dialog with the changes of a script since its run. */
export const ScriptChanges = lazyComponent(() =>
  import('./script-changes.tsx').then((it) => it.ScriptChanges),
);
