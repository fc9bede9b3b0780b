import { clsx } from 'clsx';
import { CornerDownRight, RotateCw, TriangleAlert } from 'lucide-react';
import { Tabs } from 'radix-ui';
import { memo, useState } from 'react';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { NotShown } from '../transcript/content/not-shown.tsx';
import { formatDuration } from '../ui/format.ts';
import { LongText } from '../ui/long-text.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { ChangesTab } from './changes-tab.tsx';
import { RequestTab } from './request-tab.tsx';
import { ResponseTab } from './response-tab.tsx';
import { MoreButton } from './section.tsx';
import type { StepContent } from './step-content.ts';
import type { StepNote } from './step-notes.ts';

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

/** A step: what was sent, what came back, and what is new in it. */
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
            className="-mb-px h-8 border-b-2 border-transparent px-1.5 mr-2 text-sm text-ink-2 hover:text-ink focus-visible:-outline-offset-2 data-[state=active]:border-go data-[state=active]:font-medium data-[state=active]:text-ink narrow:h-11 narrow:px-3.5"
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
          <Notes notes={notes} />
          <ErrorBoundary
            retryKey={content}
            fallback={
              <div className="p-3">
                <NotShown />
              </div>
            }
          >
            {value === 'request' && <RequestTab step={step} simulated={simulated} />}
            {value === 'response' && <ResponseTab content={content} />}
            {value === 'changes' && <ChangesTab step={step} before={before} />}
          </ErrorBoundary>
        </Tabs.Content>
      ))}
    </Tabs.Root>
  );
});

const looks = {
  retry: { Icon: RotateCw, look: 'text-warn' },
  warning: { Icon: TriangleAlert, look: 'text-warn' },
  steer: { Icon: CornerDownRight, look: 'text-ink-3' },
} as const;

/** How many notes are drawn at first, and again at each press; how much of one, in characters. */
const NOTES_AT_ONCE = 20;
const FIRST_CHARACTERS = 500;

/** Retries, warnings and messages to the model, each with its time and its reason. */
function Notes({ notes }: { notes: readonly StepNote[] }) {
  const [most, setMost] = useState(NOTES_AT_ONCE);
  if (notes.length === 0) return null;
  return (
    <div className="border-b border-line bg-raised px-4 narrow:px-3 py-1.5">
      <ul aria-label="Notes" className="grid grid-cols-[minmax(0,1fr)] gap-1">
        {notes.slice(0, most).map(({ key, kind, t, label, text }) => {
          const { Icon, look } = looks[kind];
          return (
            <li key={key} data-note={kind} className="text-sm">
              <p className="flex items-center gap-1.5">
                <Icon aria-hidden className={clsx('size-3.5 shrink-0', look)} />
                <span className="min-w-0 font-medium wrap-anywhere">{label}</span>
                {t !== undefined && (
                  <span className="ml-auto shrink-0 pl-2 text-ink-3">at {formatDuration(t)}</span>
                )}
              </p>
              <p className="pl-5 wrap-anywhere whitespace-pre-wrap text-ink-2">
                <LongText text={visibleText(text)} atOnce={FIRST_CHARACTERS} />
              </p>
            </li>
          );
        })}
      </ul>
      {notes.length > most && (
        <MoreButton onMore={() => setMost(most + NOTES_AT_ONCE)}>Show more notes</MoreButton>
      )}
    </div>
  );
}
