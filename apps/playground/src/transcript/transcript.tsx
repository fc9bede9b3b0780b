import type { RunState } from '@cueline/core';
import { ArrowDown } from 'lucide-react';
import { memo } from 'react';
import { StickToBottom, useStickToBottomContext } from 'use-stick-to-bottom';
import type { RunSession } from '../state/run-session.ts';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { ConsoleFold } from './console-fold.tsx';
import { NotShown } from './not-shown.tsx';
import {
  ErrorRow,
  FileRow,
  ReasoningRow,
  SourceRow,
  StepRow,
  StoppedRow,
  SystemRow,
  TextRow,
  UserRow,
  WarningRow,
} from './rows.tsx';
import { ToolCard } from './tool-card.tsx';
import { toTranscript, type TranscriptItem } from './view-model.ts';

/** Everything that a run says and does, newest at the bottom; follows along until the person scrolls up. */
export function Transcript({ session, state }: { session: RunSession; state: RunState }) {
  const items = toTranscript(state, session.earlier);
  const model = session.simulated ? `${session.model.name} · simulated` : session.model.name;
  return (
    <StickToBottom className="relative min-h-0 flex-1" resize="instant" initial="instant">
      <StickToBottom.Content
        scrollClassName="scroll"
        className="mx-auto grid max-w-[760px] grid-cols-[minmax(0,1fr)] gap-3 px-5 pt-4 pb-8 narrow:px-4"
      >
        {items.map((item) => (
          <div key={item.key} className="row-lazy">
            <ErrorBoundary fallback={<NotShown text={'text' in item ? item.text : undefined} />}>
              <Row item={item} origin={session.startedAt} model={model} />
            </ErrorBoundary>
          </div>
        ))}
        <ConsoleFold />
      </StickToBottom.Content>
      <ToNewest />
    </StickToBottom>
  );
}

const Row = memo(
  function Row({ item, origin, model }: { item: TranscriptItem; origin: number; model: string }) {
    switch (item.kind) {
      case 'system':
        return <SystemRow text={item.text} variables={item.variables} />;
      case 'user':
        return <UserRow text={item.text} files={item.files} variables={item.variables} />;
      case 'step':
        return <StepRow step={item.step} waiting={item.waiting} origin={origin} model={model} />;
      case 'reasoning':
        return <ReasoningRow text={item.text} streaming={item.streaming} />;
      case 'text':
        return <TextRow text={item.text} streaming={item.streaming} />;
      case 'tool':
        return <ToolCard call={item.call} origin={item.live ? origin : undefined} />;
      case 'source':
        return <SourceRow title={item.title} url={item.url} />;
      case 'file':
        return <FileRow mediaType={item.mediaType} />;
      case 'warning':
        return <WarningRow message={item.message} />;
      case 'error':
        return <ErrorRow error={item.error} />;
      case 'stopped':
        return <StoppedRow />;
    }
  },
  (before, after) =>
    before.origin === after.origin && before.model === after.model && sameItem(before.item, after.item),
);

/** Items are made anew at every frame; their fields keep their identity where nothing changed. */
function sameItem(before: TranscriptItem, after: TranscriptItem): boolean {
  const [a, b] = [before as Record<string, unknown>, after as Record<string, unknown>];
  return Object.keys(b).every((key) => a[key] === b[key]);
}

function ToNewest() {
  const { isAtBottom, scrollToBottom } = useStickToBottomContext();
  if (isAtBottom) return null;
  return (
    <button
      type="button"
      onClick={() => void scrollToBottom()}
      className="absolute bottom-3 left-1/2 flex h-7 -translate-x-1/2 items-center gap-1.5 rounded-full border border-line-strong bg-panel px-3 text-sm shadow-lg hover:bg-hover narrow:h-11"
    >
      <ArrowDown className="size-3.5" />
      Newest
    </button>
  );
}
