import { isInProgress } from '@cueline/core';
import { useState, type ReactNode } from 'react';
import { AgentOfRequest } from '../request/definition-name.tsx';
import { selectionKey, useInspection, type StepSelection } from '../state/inspection.ts';
import { useSettledMoment } from '../state/moment/use-settled-moment.ts';
import { logOf, useRunAt } from '../state/shown-run.ts';
import type { RunSession } from '../state/store.ts';
import { NotShown } from '../transcript/content/not-shown.tsx';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { CallView } from './call/call-view.tsx';
import { DefinitionView } from './definition/definition-view.tsx';
import { InspectorHeader, StepSummary } from './inspector-header.tsx';
import { namesOf } from './prompts-of-run.ts';
import { useStepContent } from './step/step-content.ts';
import { StepView, type StepTab } from './step/step-view.tsx';
import { findTarget, isSimulated, latestStep, type StepTarget } from './target.ts';

/** The content of the selected step or call of a run; without a selection, that of its latest step. */
export function InspectorPane({ session }: { session: RunSession }) {
  const shown = useRunAt(
    session,
    useSettledMoment((state) => state.moment),
  );
  const selection = useInspection((state) => state.selection);
  // it stays open while a definition is selected
  const selected = useInspection((state) => state.lastStep);
  const [tab, setTab] = useState<StepTab>('request');
  const target = selected === undefined ? latestStep(shown) : findTarget(shown, selected);
  const isLive = !shown.isPast && isInProgress(shown.state);
  return (
    <section aria-label="Inspector" className="flex min-h-0 flex-1 flex-col bg-panel">
      <InspectorHeader shown={shown} target={target} selected={selected} isLive={isLive} />
      <ErrorBoundary retryKey={selectionKey(selected)} fallback={<Message>{<NotShown />}</Message>}>
        <AgentOfRequest value={target === undefined ? undefined : namesOf(target.run.agents, target.path)}>
          {target === undefined ? (
            <Message>{missing(selected, isLive)}</Message>
          ) : target.call !== undefined ? (
            <CallView
              key={selectionKey(selected)}
              target={{ ...target, call: target.call }}
              log={logOf(session, target.turn)}
              clock={isLive && target.turn === shown.turn ? session.clock : undefined}
            />
          ) : (
            <Step target={target} session={session} tab={tab} onTab={setTab} />
          )}
        </AgentOfRequest>
      </ErrorBoundary>
      {selection?.kind === 'definition' && (
        <ErrorBoundary retryKey={selectionKey(selection)} fallback={<Message>{<NotShown />}</Message>}>
          <DefinitionView
            key={selectionKey(selection)}
            session={session}
            shown={shown}
            selected={selection}
            onClose={() => useInspection.getState().select(selected)}
          />
        </ErrorBoundary>
      )}
    </section>
  );
}

type StepProps = { target: StepTarget; session: RunSession; tab: StepTab; onTab: (tab: StepTab) => void };

function Step({ target, session, tab, onTab }: StepProps) {
  const content = useStepContent(target, logOf(session, target.turn));
  return (
    <>
      <StepSummary target={target} />
      <StepView content={content} simulated={isSimulated(target.step)} tab={tab} onTab={onTab} />
    </>
  );
}

function missing(selected: StepSelection | undefined, isLive: boolean): string {
  if (selected !== undefined) return 'What is selected has not happened yet at the moment that is shown.';
  return isLive ? 'The first request is being prepared.' : 'No request has been sent.';
}

function Message({ children }: { children: ReactNode }) {
  return <div className="flex-1 px-4 narrow:px-3 py-3 text-ink-2">{children}</div>;
}
