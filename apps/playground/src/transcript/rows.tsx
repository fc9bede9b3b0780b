import type { RunState, StepState } from '@cueline/core';
import { clsx } from 'clsx';
import { Brain, CornerDownRight, FileInput, Link2, Pencil, ScrollText, User } from 'lucide-react';
import { memo, useRef } from 'react';
import { StepActions } from '../forks/step-actions.tsx';
import type { RunSession } from '../state/store.ts';
import { DataView } from '../ui/data/data-view.tsx';
import { formatDuration, formatUsage, plural, summarize } from '../ui/format.ts';
import { LiveDuration } from '../ui/live-duration.tsx';
import { LongText } from '../ui/long-text.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { phaseLabel } from './announcement.ts';
import { FileView } from './content/file-part.tsx';
import { Fold } from './content/fold.tsx';
import { ModelMarkdown } from './content/markdown.tsx';
import { PlainText } from './content/not-shown.tsx';
import { ModelLink } from './model-link.tsx';
import { RetryNote } from './retry-note.tsx';
import { steerLabel } from './steer-labels.ts';
import type { FilePart, SteerFields, StepFields } from './transcript-item.ts';
import { useSelectable } from './use-selectable.ts';

export const SystemRow = memo(function SystemRow({ text, variables }: { text: string; variables: number }) {
  return (
    <FoldedText
      title="System prompt"
      hint={`${plural(text.length, 'character')}${variables === 0 ? '' : `, ${plural(variables, 'variable')}`}`}
      text={text}
    />
  );
});

function FoldedText({ title, hint, text }: { title: string; hint: string; text: string }) {
  return (
    <Fold icon={<ScrollText className="size-3.5 text-ink-3" />} title={title} hint={hint} open={false}>
      <pre className="scroll mt-1 max-h-80 rounded-lg border border-line bg-raised px-3 py-2.5 font-mono text-sm wrap-anywhere whitespace-pre-wrap text-ink-2">
        <LongText text={visibleText(text)} />
      </pre>
    </Fold>
  );
}

export const InputRow = memo(function InputRow({ input }: { input: unknown }) {
  return (
    <section aria-label="Input of the run">
      <Fold
        icon={<FileInput className="size-3.5 text-ink-3" />}
        title="Input"
        hint={visibleText(summarize(input, 120))}
        open={false}
      >
        <div className="scroll mt-1 max-h-80 rounded-lg border border-line bg-raised px-3 py-1.5">
          <DataView label="Input" value={input} />
        </div>
      </Fold>
    </section>
  );
});

/** In a longer text, variable names are not highlighted. */
const MAX_LENGTH_WITH_VARIABLES = 20_000;

type UserRowProps = { text: string; files: readonly FilePart[]; variables: RunState['variables'] };

export const UserRow = memo(function UserRow({ text, files, variables }: UserRowProps) {
  return (
    <section
      role="group"
      aria-label="User message"
      className="flex gap-2.5 rounded-lg border border-line bg-raised px-3 py-2.5"
    >
      <User className="mt-1 size-3.5 shrink-0 text-ink-3" />
      <div dir="auto" className="min-w-0 flex-1 text-lg wrap-anywhere whitespace-pre-wrap">
        {text.length > MAX_LENGTH_WITH_VARIABLES ? (
          <LongText text={visibleText(text)} />
        ) : (
          <WithVariables text={visibleText(text)} variables={variables} />
        )}
        {files.length > 0 && (
          <div className="mt-2 flex flex-wrap items-end gap-2 first:mt-0">
            {files.map((file, index) => (
              <FileView key={index} file={file} />
            ))}
          </div>
        )}
      </div>
    </section>
  );
});

/** A text with highlighted variable names, each with its value on hover. */
function WithVariables({ text, variables }: Pick<UserRowProps, 'text' | 'variables'>) {
  return text.split(/(<[A-Za-z_][\w-]*>)/).map((piece, index) => {
    const name = piece.slice(1, -1);
    // A name such as `constructor` exists on every object and is not a variable.
    const variable = piece.startsWith('<') && Object.hasOwn(variables, name) ? variables[name] : undefined;
    if (variable === undefined) return piece;
    return (
      <span
        key={index}
        title={visibleText(summarize(variable.value, 200))}
        className="rounded bg-hover px-1 font-mono text-base text-text-kind"
      >
        {visibleText(name)}
      </span>
    );
  });
}

/** A run before its first event. On a fast computer, its first rows come before this one fades in. */
export function StartingRow() {
  return (
    <p className="flex animate-[fade_160ms_150ms_both] items-center gap-1.5 text-sm text-ink-3">
      <BusyDot />
      Starting the run…
    </p>
  );
}

function BusyDot({ className = 'bg-go' }: { className?: string }) {
  return <span className={clsx('size-1.5 animate-[pulse-dot_1s_infinite] rounded-full', className)} />;
}

type StepRowProps = StepFields & { step: StepState; session: RunSession };

export const StepRow = memo(function StepRow(props: StepRowProps) {
  const { step, turn, path, waiting, retrying, offline, session } = props;
  const { startedAt, finishedAt, usage } = step;
  const tokens = usage && formatUsage(usage);
  const element = useRef<HTMLDivElement>(null);
  const row = useSelectable(element, { kind: 'step', turn, agent: path, step: step.step });
  return (
    <div
      ref={element}
      data-step={step.step}
      data-selected={row.isSelected || undefined}
      className="group -mx-2 mt-1 flex items-center gap-2 rounded-md px-2 text-sm whitespace-nowrap text-ink-3 data-selected:bg-selected"
    >
      <h3 className="font-medium text-ink-2">
        <button
          type="button"
          aria-pressed={row.isSelected}
          onClick={row.select}
          className="min-h-6 rounded hover:text-ink hover:underline group-data-selected:text-ink narrow:min-h-11 narrow:min-w-11 narrow:text-left"
        >
          Step {step.step + 1}
        </button>
      </h3>
      {step.edited === true && (
        <span className="flex items-center gap-1">
          <Pencil aria-hidden className="size-3" /> answer edited
        </span>
      )}
      <span aria-hidden className="h-px min-w-4 flex-1 bg-line" />
      {tokens !== undefined && <span title="Tokens in → out">{tokens}</span>}
      {finishedAt !== undefined ? (
        <span className="text-right">{formatDuration(finishedAt - startedAt)}</span>
      ) : waiting ? (
        <span className="flex items-center gap-1.5">
          <BusyDot className={retrying === undefined ? 'bg-go' : 'bg-warn'} />
          {offline ? (
            phaseLabel.offline
          ) : retrying === undefined ? (
            <>
              {phaseLabel.requesting} <LiveDuration clock={session.clock} since={startedAt} />
            </>
          ) : (
            <RetryNote retrying={retrying} />
          )}
        </span>
      ) : null}
      <StepActions
        session={session}
        turn={turn}
        step={step.step}
        agent={path}
        className="-mr-1 opacity-0 group-focus-within:opacity-100 group-hover:opacity-100 group-data-selected:opacity-100 data-[state=open]:opacity-100 pointer-coarse:opacity-100 narrow:opacity-100"
      />
    </div>
  );
});

export const ReasoningRow = memo(function ReasoningRow({
  text,
  streaming,
}: {
  text: string;
  streaming: boolean;
}) {
  return (
    <Fold
      icon={<Brain className="size-3.5 text-thinking" />}
      title={streaming ? 'Thinking…' : 'Thought'}
      hint={visibleText(text.slice(0, 120))}
      open={streaming}
    >
      <div className="mt-1 border-l-2 border-thinking/40 pl-3 text-ink-2 [&_.markdown]:text-base">
        <ModelMarkdown text={text} streaming={streaming} />
      </div>
    </Fold>
  );
});

/** The beginning of an answer in JSON. As markdown it would lose its brackets. */
const looksLikeJson = /^\s*(?:\{\s*(?:"|\}\s*$|$)|\[\s*[[{"\d])/;

export const TextRow = memo(function TextRow({ text, streaming }: { text: string; streaming: boolean }) {
  return (
    <section role="group" aria-label="Answer">
      {looksLikeJson.test(text) ? (
        <PlainText text={text} />
      ) : (
        <ModelMarkdown text={text} streaming={streaming} />
      )}
    </section>
  );
});

export function SourceRow({ title, url }: { title: string; url: string | undefined }) {
  return (
    <p className="flex items-center gap-2 text-sm text-ink-2">
      <Link2 className="size-3.5 shrink-0 text-ink-3" />
      Source:{' '}
      <ModelLink href={url} className="min-w-0 truncate">
        {visibleText(title)}
      </ModelLink>
    </p>
  );
}

export function FileRow({ file }: { file: FilePart }) {
  return (
    <section role="group" aria-label="File">
      <FileView file={file} />
    </section>
  );
}

export function SteerRow({ cause, after, text }: SteerFields & { text: string }) {
  return (
    <Fold
      icon={<CornerDownRight className="size-3.5 text-ink-3" />}
      title={<span className="text-sm">{steerLabel({ cause, after })}</span>}
      hint={<span className="text-sm">{visibleText(summarize(text, 120))}</span>}
      open={false}
    >
      <p className="mt-1 border-l-2 border-line-strong pl-3 text-sm wrap-anywhere whitespace-pre-wrap text-ink-2">
        <LongText text={visibleText(text)} />
      </p>
    </Fold>
  );
}

/** An agent's input that the transcript shows above already. */
export const GivenRow = memo(function GivenRow({ text }: { text: string }) {
  return <FoldedText title="Summarized messages" hint={plural(text.length, 'character')} text={text} />;
});
