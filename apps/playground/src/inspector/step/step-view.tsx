import type { StepState } from '@cueline/core';
import { Tabs } from 'radix-ui';
import { memo } from 'react';
import { RequestView } from '../../request/request-view.tsx';
import { NotShown } from '../../transcript/content/not-shown.tsx';
import { ErrorBoundary } from '../../ui/error-boundary.tsx';
import { ChangesTab } from './changes-tab.tsx';
import { CountedTokens, usageHint } from './counted-tokens.tsx';
import { NoteList } from './note-list.tsx';
import { ResponseTab } from './response-tab.tsx';
import type { StepContent } from './step-content.ts';
import { readUsage } from './step-usage.ts';

/** The parts of a step's view. */
export type StepTab = 'request' | 'response' | 'changes';

const tabs: readonly { value: StepTab; title: string }[] = [
  { value: 'request', title: 'Request' },
  { value: 'response', title: 'Response' },
  { value: 'changes', title: 'Changes' },
];

type StepViewProps = {
  content: StepContent;
  simulated: boolean;
  tab: StepTab;
  onTab: (tab: StepTab) => void;
};

/** A step: its request, its response, and the difference from the request before. */
export const StepView = memo(function StepView({ content, simulated, tab, onTab }: StepViewProps) {
  const { step, before, notes } = content;
  return (
    <Tabs.Root
      value={tab}
      onValueChange={(value) => onTab(value as StepTab)}
      className="flex min-h-0 flex-1 flex-col"
    >
      <Tabs.List aria-label="Parts of the step" className="flex shrink-0 border-b border-line px-2.5">
        {tabs.map(({ value, title }) => (
          <Tabs.Trigger
            key={value}
            value={value}
            className="-mb-px h-8 border-b-2 border-transparent forced-colors:border-[Canvas] px-1.5 mr-2 text-sm text-ink-2 hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:border-go data-[state=active]:font-medium data-[state=active]:text-ink narrow:h-11 narrow:px-3.5"
          >
            {title}
          </Tabs.Trigger>
        ))}
      </Tabs.List>
      {tabs.map(({ value }) => (
        <Tabs.Content
          key={value}
          value={value}
          className="scroll relative min-h-0 flex-1 focus-visible:-outline-offset-2"
        >
          <NoteList notes={notes} />
          <ErrorBoundary
            retryKey={content}
            fallback={
              <div className="p-3">
                <NotShown />
              </div>
            }
          >
            {value === 'request' && <StepRequest step={step} simulated={simulated} />}
            {value === 'response' && <ResponseTab content={content} />}
            {value === 'changes' && <ChangesTab step={step} before={before} />}
          </ErrorBoundary>
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
});

type StepRequestProps = { step: StepState; simulated: boolean };

/** The request of a step, with the tokens that the provider counted. */
const StepRequest = memo(function StepRequest({ step, simulated }: StepRequestProps) {
  const usage = readUsage(step);
  const counted = <CountedTokens step={step} usage={usage} simulated={simulated} />;
  return <RequestView request={step.request} tokens={usageHint(usage)} counted={counted} />;
});
