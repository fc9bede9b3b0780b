import { FileCode2, FlaskConical, Library, type LucideIcon } from 'lucide-react';
import type { ReactNode } from 'react';
import { EditorPane } from '../editor/editor-pane.tsx';
import { InputSection } from '../panes/input-section.tsx';
import { lazyComponent } from '../panes/lazy-component.tsx';
import { PreviewPane } from '../panes/lazy-panes.tsx';
import { RunPane } from '../panes/run-pane.tsx';
import { usePlayground, type View } from '../state/store.ts';
import { EmptyRun } from '../transcript/empty-run.tsx';

const waiting: ReactNode = <div aria-busy className="flex-1 bg-page" />;

// loaded when they are first opened: a visitor who came for a script needs neither
const PromptsPane = lazyComponent(
  () => import('../prompts/prompts-pane.tsx').then((it) => it.PromptsPane),
  waiting,
);
const TryPane = lazyComponent(() => import('../prompts/try-pane.tsx').then((it) => it.TryPane), waiting);
const EvalsPane = lazyComponent(() => import('../evals/evals-pane.tsx').then((it) => it.EvalsPane), waiting);
const ResultsPane = lazyComponent(
  () => import('../evals/results-pane.tsx').then((it) => it.ResultsPane),
  waiting,
);
const RunToCase = lazyComponent(() => import('../evals/run-to-case.tsx').then((it) => it.RunToCase));

/** The views of the playground, in the order of their tabs. */
export const views: readonly { view: View; title: string; Icon: LucideIcon }[] = [
  { view: 'script', title: 'Script', Icon: FileCode2 },
  { view: 'prompts', title: 'Prompts', Icon: Library },
  { view: 'evals', title: 'Evals', Icon: FlaskConical },
];

/** The panes of a view: what is edited, and its result. */
export const panes: Readonly<
  Record<View, { editor: ReactNode; result: ReactNode; editorTitle: string; resultTitle: string }>
> = {
  script: {
    editor: <EditorPane />,
    result: (
      <RunPane
        empty={<EmptyRun />}
        input={<InputSection />}
        preview={<PreviewPane />}
        // loads with the database code, after the first paint
        onOpenScript={(session) =>
          void import('../history/script-actions.ts').then((it) => it.openScriptOf(session))
        }
      />
    ),
    editorTitle: 'Script',
    resultTitle: 'Run',
  },
  prompts: {
    editor: <PromptsPane />,
    result: <TryPane afterRun={<RunToCase />} />,
    editorTitle: 'Prompt',
    resultTitle: 'Try',
  },
  evals: {
    editor: <EvalsPane />,
    result: <ResultsPane />,
    editorTitle: 'Eval',
    resultTitle: 'Results',
  },
};

export function openView(view: View): void {
  usePlayground.setState({ view, tab: 'editor', notice: undefined });
}
