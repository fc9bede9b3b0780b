import { EmptyPane } from '../ui/empty-pane.tsx';
import { startPrompt } from './start-prompt.ts';

/** The content of the run tab before the first run. */
export function EmptyPromptRun() {
  return (
    <EmptyPane
      title="Run this version"
      text="The model gets the texts of the preview. The answer appears here as it streams, and can become a case of an eval."
      action="Run this version"
      onStart={startPrompt}
    />
  );
}
