import type { AgentState } from '@cueline/core';
import { memo, useState, type ReactNode } from 'react';
import { CallActions } from '../forks/call-actions.tsx';
import { useInspection, type Selection } from '../state/inspection.ts';
import { logOf } from '../state/shown-run.ts';
import type { RunSession } from '../state/store.ts';
import { useDrawnCount } from '../state/use-drawn-count.ts';
import { TaskPanel } from '../tasks/task-panel.tsx';
import { verdictOf } from '../tasks/verdicts.ts';
import { ErrorBoundary } from '../ui/error-boundary.tsx';
import { ShowMore } from '../ui/more-button.tsx';
import { AgentCard } from './agent-card.tsx';
import { callOfAgent } from './calls/known-calls.ts';
import { ToolCard } from './calls/tool-card.tsx';
import { NotShown } from './content/not-shown.tsx';
import { CompleteRow, ErrorRow, ResultRow, StoppedRow, SuspendedRow, WarningRow } from './ending-rows.tsx';
import {
  FileRow,
  GivenRow,
  ReasoningRow,
  SourceRow,
  StartingRow,
  SteerRow,
  StepRow,
  SystemRow,
  TextRow,
  UserRow,
} from './rows.tsx';
import type { CallFields, TranscriptItem } from './transcript-item.ts';

type RowsProps = { items: readonly TranscriptItem[]; session: RunSession };

/** How many rows are drawn at first, and how many more at each press. */
const ROWS_AT_ONCE = 200;

/**
 * The rows inside a card. Of many rows, the newest are drawn, or the first if the run is read from its beginning. A
 * button draws more.
 */
export function Rows({ items, session }: RowsProps) {
  const [most, setMost] = useState(ROWS_AT_ONCE);
  const count = useDrawnCount(items.length, most);
  const more = (
    <ShowMore
      left={items.length - most}
      label={session.shared ? 'Show more rows' : 'Show earlier rows'}
      className="justify-self-center py-1"
      onMore={() => setMost(most + ROWS_AT_ONCE)}
    />
  );
  return session.shared ? (
    <>
      {drawRows(items.slice(0, count), session)}
      {more}
    </>
  ) : (
    <>
      {more}
      {drawRows(items.slice(items.length - count), session)}
    </>
  );
}

function drawRows(items: readonly TranscriptItem[], session: RunSession) {
  return items.map((item) => (
    <div key={item.key} className="row-lazy">
      <SafeRow item={item} session={session} />
    </div>
  ));
}

type RowProps = { item: TranscriptItem; session: RunSession };

/** A row that does not affect the others if it fails to draw. */
export function SafeRow({ item, session }: RowProps) {
  return (
    <ErrorBoundary fallback={<NotShown text={'text' in item ? item.text : undefined} />}>
      <Row item={item} session={session} />
    </ErrorBoundary>
  );
}

const Row = memo(
  function Row({ item, session }: RowProps) {
    const { clock } = session;
    switch (item.kind) {
      case 'system':
        return <SystemRow text={item.text} variables={item.variables} />;
      case 'user':
        return <UserRow text={item.text} files={item.files} variables={item.variables} />;
      case 'step':
        return (
          <StepRow
            step={item.step}
            turn={item.turn}
            path={item.path}
            waiting={item.waiting}
            retrying={item.retrying}
            offline={item.offline}
            session={session}
          />
        );
      case 'steer':
        return <SteerRow cause={item.cause} after={item.after} text={item.text} />;
      case 'reasoning':
        return <ReasoningRow text={item.text} streaming={item.streaming} />;
      case 'text':
        return <TextRow text={item.text} streaming={item.streaming} />;
      case 'tool':
        return (
          <ToolCard
            call={item.call}
            selection={selectionOf(item)}
            pending={item.pending}
            verdict={verdictOfItem(item, session)}
            clock={item.live ? clock : undefined}
            actions={actionsOf(item, session)}
          >
            {item.inner.length > 0 && <Rows items={item.inner} session={session} />}
          </ToolCard>
        );
      case 'agent':
        return (
          <AgentCard
            call={item.call}
            selection={selectionOf(item)}
            agent={item.agent}
            pending={item.pending}
            clock={item.live ? clock : undefined}
          >
            {() => (
              <>
                <AgentRows agent={item.agent} live={item.live} items={item.items} session={session} />
                {actionsOf(item, session)}
              </>
            )}
          </AgentCard>
        );
      case 'inner':
        return (
          <AgentCard
            call={callOfAgent(item.agent)}
            agent={item.agent}
            variant={item.variant}
            clock={item.live ? clock : undefined}
          >
            {() => <AgentRows agent={item.agent} live={item.live} items={item.items} session={session} />}
          </AgentCard>
        );
      case 'given':
        return <GivenRow text={item.text} />;
      case 'source':
        return <SourceRow title={item.title} url={item.url} />;
      case 'file':
        return <FileRow file={item.file} />;
      case 'complete':
        return <CompleteRow summary={item.summary} result={item.result} />;
      case 'result':
        return <ResultRow value={item.value} />;
      case 'warning':
        return <WarningRow message={item.message} />;
      case 'error':
        return <ErrorRow error={item.error} shared={session.shared} />;
      case 'stopped':
        return <StoppedRow shared={session.shared} />;
      case 'suspended':
        return <SuspendedRow />;
      case 'starting':
        return <StartingRow />;
    }
  },
  (before, after) => before.session === after.session && sameItem(before.item, after.item),
);

type AgentRowsProps = RowsProps & { agent: AgentState; live: boolean };

/** An agent's work, below its tasks. */
function AgentRows({ agent, live, items, session }: AgentRowsProps) {
  const inProgress = live && agent.status === 'running';
  const isPast = useInspection(({ moment }) => moment !== undefined);
  return (
    <>
      {agent.tasks.length > 0 && (
        <TaskPanel
          run={session.run}
          tasks={agent.tasks}
          agent={agent.path}
          inProgress={inProgress}
          isPast={isPast}
          clock={session.clock}
          begunAt={agent.steps[0]?.startedAt}
          until={agent.steps.at(-1)?.finishedAt}
          open
          className="rounded-lg border border-line bg-panel"
        />
      )}
      <Rows items={items} session={session} />
    </>
  );
}

function verdictOfItem({ call, turn, path }: CallFields, session: RunSession) {
  return turn === undefined ? undefined : verdictOf(() => logOf(session, turn), path, call);
}

/** What a press on a call's card selects; nothing for a call that only the message knows. */
function selectionOf({ call, turn, path }: CallFields): Selection | undefined {
  if (turn === undefined) return undefined;
  return { kind: 'call', turn, agent: path, step: call.step, toolCallId: call.toolCallId };
}

/** What can be done with a call. */
function actionsOf({ call, turn, path }: CallFields, session: RunSession): ReactNode {
  return turn === undefined ? null : <CallActions session={session} turn={turn} call={call} agent={path} />;
}

/** Items are created again at every frame; their fields keep their identity if nothing changed. */
function sameItem(before: TranscriptItem, after: TranscriptItem): boolean {
  const [a, b] = [before as Record<string, unknown>, after as Record<string, unknown>];
  return Object.keys(b).every((key) => a[key] === b[key]);
}
