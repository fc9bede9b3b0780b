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
export const SessionForks = lazyComponent(() =>
  import('../forks/session-forks.tsx').then((it) => it.SessionForks),
);
export const TaskPanel = lazyComponent(() => import('../tasks/task-panel.tsx').then((it) => it.TaskPanel));
export const ApprovalDock = lazyComponent(() =>
  import('../approval/approval-dock.tsx').then((it) => it.ApprovalDock),
);
export const InspectorPane = lazyComponent(
  () => import('../inspector/inspector-pane.tsx').then((it) => it.InspectorPane),
  loading,
);
export const TimelineDock = lazyComponent(
  () => import('../timeline/timeline-dock.tsx').then((it) => it.TimelineDock),
  loading,
);
export const PastBar = lazyComponent(() => import('./past-bar.tsx').then((it) => it.PastBar));
export const SharedRunBar = lazyComponent(() => import('./shared-run-bar.tsx').then((it) => it.SharedRunBar));
export const InputForm = lazyComponent(() => import('./input-form.tsx').then((it) => it.InputForm));
export const PreviewPane = lazyComponent(
  () => import('./preview-pane.tsx').then((it) => it.PreviewPane),
  <div aria-busy className="flex-1 bg-page" />,
);
export const ScriptChanges = lazyComponent(() =>
  import('./script-changes.tsx').then((it) => it.ScriptChanges),
);
