import type { StepState, ToolCallState } from '@cueline/core';
import { Brain, ChevronRight, FileText, Link2, MessageSquareText, Puzzle, Wrench } from 'lucide-react';
import { useMemo, type ReactNode } from 'react';
import { useInspection, type Selection } from '../../state/inspection.ts';
import { FileView } from '../../transcript/content/file-part.tsx';
import { DataView } from '../../ui/data/data-view.tsx';
import { formatCount, formatDuration, plural, summarize } from '../../ui/format.ts';
import { LongText } from '../../ui/long-text.tsx';
import { ShowMore, useFirstItems } from '../../ui/more-button.tsx';
import { FactList, EmptyText, Section } from '../../ui/section.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { RawEvents } from './raw-events.tsx';
import { readResponse, type ResponseRow } from './response-rows.ts';
import type { StepContent } from './step-content.ts';

/** How much of a text is drawn at first, in characters. */
const FIRST_CHARACTERS = 4_000;

/** The response of a step: the parts of the answer, its times, and the events of the log. */
export function ResponseTab({ content }: { content: StepContent }) {
  const { step, events, calls } = content;
  const response = useMemo(() => readResponse(events), [events]);
  return (
    <>
      <Section title="Answer" hint={plural(response.rows.length, 'part')}>
        <AnswerParts rows={response.rows} content={content} />
      </Section>
      <Section title="Times">
        <FactList rows={timesOf(step, response.lastOutputAt, calls)} />
      </Section>
      {step.providerMetadata !== undefined && (
        <Section title="Provider’s metadata" open={false}>
          <DataView label="provider’s metadata" value={step.providerMetadata} />
        </Section>
      )}
      <Section title="Events" hint={formatCount(events.length)} open={false}>
        <RawEvents events={events} />
      </Section>
    </>
  );
}

/** Calls whose times are listed; a step rarely has more. */
const MAX_CALLS = 100;

function timesOf(
  { startedAt, firstOutputAt, finishedAt }: StepState,
  lastOutputAt: number | undefined,
  calls: readonly ToolCallState[],
): { name: string; value: ReactNode }[] {
  const rows: { name: string; value: ReactNode }[] = [
    { name: 'Sent', value: `at ${formatDuration(startedAt)}` },
  ];
  if (firstOutputAt !== undefined) {
    rows.push({ name: 'To the first output', value: formatDuration(firstOutputAt - startedAt) });
    if (lastOutputAt !== undefined && finishedAt !== undefined) {
      rows.push({ name: 'Generation', value: formatDuration(Math.max(0, lastOutputAt - firstOutputAt)) });
    }
  }
  for (const { toolName, startedAt: from, finishedAt: to, ms } of calls.slice(0, MAX_CALLS)) {
    if (from === undefined) continue;
    const took = ms ?? (to === undefined ? undefined : to - from);
    rows.push({
      name: visibleText(toolName),
      value: took === undefined ? 'still running' : formatDuration(took),
    });
  }
  if (finishedAt !== undefined)
    rows.push({ name: 'Whole step', value: formatDuration(finishedAt - startedAt) });
  return rows;
}

type AnswerPartsProps = { rows: readonly ResponseRow[]; content: StepContent };

function AnswerParts({ rows, content }: AnswerPartsProps) {
  const { shown, ...more } = useFirstItems(rows, 50);
  if (rows.length === 0) return <EmptyText>Nothing has come back yet.</EmptyText>;
  return (
    <>
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {shown.map((row) => (
          <li key={row.key} data-void={row.isVoid || undefined}>
            <AnswerPart row={row} content={content} />
          </li>
        ))}
      </ol>
      <ShowMore {...more} noun="part" />
    </>
  );
}

const styles = {
  text: { Icon: MessageSquareText, className: 'text-text-kind', word: 'Text' },
  reasoning: { Icon: Brain, className: 'text-thinking', word: 'Thinking' },
  call: { Icon: Wrench, className: 'text-tool', word: 'Tool call' },
  source: { Icon: Link2, className: 'text-ink-3', word: 'Source' },
  file: { Icon: FileText, className: 'text-ink-3', word: 'File' },
  custom: { Icon: Puzzle, className: 'text-ink-3', word: 'Provider’s own part' },
} as const;

function AnswerPart({ row, content }: { row: ResponseRow; content: StepContent }) {
  const { Icon, className, word } = styles[row.kind];
  return (
    <>
      <p className="mb-1 flex items-center gap-1.5 text-xs font-medium text-ink-3">
        <Icon aria-hidden className={`size-3.5 shrink-0 ${className}`} />
        {word}
        {row.isVoid && <span className="font-normal text-warn">cut off, not part of the answer</span>}
        <span className="ml-auto font-normal">after {formatDuration(row.t - content.step.startedAt)}</span>
      </p>
      <PartContent row={row} content={content} />
    </>
  );
}

function PartContent({ row, content }: { row: ResponseRow; content: StepContent }) {
  switch (row.kind) {
    case 'text':
    case 'reasoning':
      return (
        <p className={`wrap-anywhere whitespace-pre-wrap ${row.kind === 'text' ? 'text-ink' : 'text-ink-2'}`}>
          <LongText text={visibleText(row.text)} atOnce={FIRST_CHARACTERS} />
        </p>
      );
    case 'call':
      return <CallLink toolCallId={row.toolCallId} toolName={row.toolName} content={content} />;
    case 'file':
      return <FileView file={row.file} />;
    case 'source':
      return <p className="wrap-anywhere text-ink-2">{visibleText(row.title)}</p>;
    case 'custom':
      return <p className="font-mono text-sm text-ink-2">{visibleText(row.name)}</p>;
  }
}

type CallLinkProps = { toolCallId: string; toolName: string; content: StepContent };

/** A call of the step, which the inspector opens. */
function CallLink({ toolCallId, toolName, content }: CallLinkProps) {
  const { step, turn, path, calls } = content;
  const call = calls.findLast((each) => each.toolCallId === toolCallId);
  const words = summarize(call?.input ?? call?.inputText ?? '', 80);
  if (call === undefined) return <p className="font-mono text-sm">{visibleText(toolName)}</p>;
  const selection: Selection = { kind: 'call', turn, agent: path, step: step.step, toolCallId };
  return (
    <button
      type="button"
      onClick={() => useInspection.getState().select(selection)}
      className="flex min-h-7 w-full min-w-0 items-center gap-2 rounded-md border border-line px-2 text-left text-sm hover:bg-hover narrow:min-h-11"
    >
      <bdi className="shrink-0 font-mono font-medium">{visibleText(toolName)}</bdi>
      <span className="min-w-0 truncate text-ink-2">{visibleText(words)}</span>
      <ChevronRight aria-hidden className="ml-auto size-3.5 shrink-0 text-ink-3" />
    </button>
  );
}
