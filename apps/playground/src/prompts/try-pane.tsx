import { Tabs } from 'radix-ui';
import { useMemo, type ReactNode } from 'react';
import { paneTab } from '../panes/pane-tabs.ts';
import { RunPane } from '../panes/run-pane.tsx';
import { EmptyPane } from '../ui/empty-pane.tsx';
import { expand } from './check-prompts.ts';
import { CompareVersions } from './compare-versions.tsx';
import { ExpandedTexts } from './expanded-texts.tsx';
import { PromptValues } from './prompt-values.tsx';
import { RanPromptNote } from './ran-prompt-note.tsx';
import { startPrompt } from './start-prompt.ts';
import { entryOf, usePrompts, valuesOf, type PromptsState } from './store.ts';

const pane = 'flex min-h-0 flex-1 flex-col data-[state=inactive]:hidden';

const empty: ReactNode = (
  <EmptyPane
    title="Run this version"
    text="The model gets the texts of the preview. The answer appears here as it streams, and can become a case of an eval."
    action="Run this version"
    onStart={startPrompt}
  />
);

/** Values for the prompt, and its texts, its run or a comparison with these values. `afterRun` is below the run. */
export function TryPane({ afterRun }: { afterRun: ReactNode }) {
  const { prompt } = usePrompts(entryOf);
  const values = usePrompts((state) => valuesOf(state, prompt.id));
  const setValue = usePrompts((state) => state.setValue);
  const tab = usePrompts((state) => state.tab);
  const expansion = useMemo(() => expand(prompt, values), [prompt, values]);
  const problems = expansion !== undefined && 'problems' in expansion ? expansion.problems : undefined;
  return (
    <section
      aria-label="Try the prompt"
      className="flex min-h-0 flex-1 flex-col bg-page short:overflow-y-auto"
    >
      <h2 className="sr-only">Try</h2>
      <div className="scroll max-h-[40%] shrink-0 border-b border-line bg-panel p-4 narrow:p-3">
        <PromptValues prompt={prompt} values={values} problems={problems} onValue={setValue} />
      </div>
      <Tabs.Root
        value={tab}
        onValueChange={(next) => usePrompts.setState({ tab: next as PromptsState['tab'] })}
        className="flex min-h-0 flex-1 flex-col short:min-h-64"
      >
        <Tabs.List aria-label="Result" className="flex shrink-0 border-b border-line bg-panel px-1">
          <Tabs.Trigger value="preview" className={paneTab}>
            Preview
          </Tabs.Trigger>
          <Tabs.Trigger value="run" className={paneTab}>
            Run
          </Tabs.Trigger>
          <Tabs.Trigger value="compare" className={paneTab}>
            Compare
          </Tabs.Trigger>
        </Tabs.List>
        <Tabs.Content value="preview" className={`${pane} scroll`} tabIndex={-1}>
          <ExpandedTexts expansion={expansion} />
        </Tabs.Content>
        <Tabs.Content value="run" className={pane} tabIndex={-1}>
          <RunPane empty={empty} input={<RanPromptNote />} />
          {afterRun}
        </Tabs.Content>
        <Tabs.Content value="compare" className={`${pane} scroll`} tabIndex={-1}>
          <CompareVersions prompt={prompt} values={values} />
        </Tabs.Content>
      </Tabs.Root>
    </section>
  );
}
