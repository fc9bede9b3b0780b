import type { RequestTool, StepState } from '@cueline/core';
import type { ModelMessage } from 'ai';
import { clsx } from 'clsx';
import { Minus, Pencil, Plus } from 'lucide-react';
import { useMemo, type ComponentType, type ReactNode } from 'react';
import { DefinitionName, type NamedKind } from '../../request/definition-name.tsx';
import { messageText } from '../../request/message-parts.ts';
import { MessageView } from '../../request/message-view.tsx';
import { ToolDescription } from '../../request/tool-list.tsx';
import { Data } from '../../ui/data/data-view.tsx';
import { formatCount } from '../../ui/format.ts';
import { ShowMore, useFirstItems } from '../../ui/more-button.tsx';
import { EmptyText, Section } from '../../ui/section.tsx';
import { TextDiff } from '../../ui/text-diff.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import {
  compareRequests,
  isSameRequest,
  type Change,
  type DefinitionChange,
  type RequestDifference,
} from './request-difference.ts';

/** Longer texts are not compared word by word, in characters. */
const MAX_COMPARED_LENGTH = 100_000;

const styles = {
  added: { Icon: Plus, className: 'text-ok', word: 'Added' },
  removed: { Icon: Minus, className: 'text-danger', word: 'Removed' },
  changed: { Icon: Pencil, className: 'text-warn', word: 'Changed' },
} as const;

type ChangesTabProps = { step: StepState; before: StepState | undefined };

/** The difference between a step's request and the one before it. */
export function ChangesTab({ step, before }: ChangesTabProps) {
  const difference = useMemo(
    () => (before === undefined ? undefined : compareRequests(before.request, step.request)),
    [before, step.request],
  );
  if (difference === undefined) {
    return <Empty>This is the first request. Later steps show here what differs from the step before.</Empty>;
  }
  if (isSameRequest(difference)) return <Empty>The request is the same as in the step before.</Empty>;
  return <Difference difference={difference} />;
}

function Empty({ children }: { children: ReactNode }) {
  return <p className="px-4 narrow:px-3 py-3 text-ink-2">{children}</p>;
}

function Difference({ difference }: { difference: RequestDifference }) {
  const { model, instructions, definitions, messages, sameMessages, tools, toolOrder, settings } = difference;
  return (
    <>
      {model !== undefined && (
        <Section title="Model">
          <ChangedValue change={model} />
        </Section>
      )}
      {instructions !== undefined && (
        <Section title="System prompt" hint={definitions.length > 0 && formatCount(definitions.length)}>
          <ChangeList changes={definitions} Row={DefinitionRow} />
          <ComparedText {...instructions} />
        </Section>
      )}
      {tools.length > 0 && (
        <Section title="Tools" hint={formatCount(tools.length)}>
          <ChangeList changes={tools} Row={ToolRow} />
        </Section>
      )}
      {toolOrder !== undefined && (
        <Section title="Order of the tools">
          <ChangedValue change={{ change: 'changed', ...toolOrder }} />
        </Section>
      )}
      {settings.length > 0 && (
        <Section title="Settings" hint={formatCount(settings.length)}>
          <ChangeList changes={settings} Row={SettingRow} />
        </Section>
      )}
      {messages.length > 0 && (
        <Section title="Messages" hint={`${formatCount(sameMessages)} unchanged`}>
          <ChangeList changes={messages} Row={MessageRow} />
        </Section>
      )}
    </>
  );
}

type ChangeListProps<Item> = { changes: readonly Item[]; Row: ComponentType<{ change: Item }> };

function ChangeList<Item>({ changes, Row }: ChangeListProps<Item>) {
  const { shown, ...more } = useFirstItems(changes, 30);
  if (changes.length === 0) return null;
  return (
    <>
      <ul className="mb-2 grid grid-cols-[minmax(0,1fr)] gap-2 last:mb-0">
        {shown.map((change, index) => (
          <li key={index}>
            <Row change={change} />
          </li>
        ))}
      </ul>
      <ShowMore {...more} />
    </>
  );
}

function DefinitionRow({ change: { kind, name, change } }: { change: DefinitionChange }) {
  return <ChangedName kind={kind} name={name} change={change} />;
}

function MessageRow({ change }: { change: Change<ModelMessage> }) {
  return (
    <>
      <ChangeLabel change={change.change} />
      {change.change === 'changed' ? (
        <div className="rounded-lg border border-line px-2.5 py-1.5">
          <ComparedText before={messageText(change.before)} after={messageText(change.after)} />
        </div>
      ) : (
        <MessageView message={change.change === 'added' ? change.after : change.before} />
      )}
    </>
  );
}

function ToolRow({ change }: { change: Change<RequestTool> & { name: string } }) {
  return (
    <>
      <ChangedName kind="tool" name={change.name} change={change.change} />
      <ChangedTool change={change} />
    </>
  );
}

function SettingRow({ change }: { change: Change<unknown> & { name: string } }) {
  return (
    <>
      <p className="font-mono text-sm">{visibleText(change.name)}</p>
      <ChangedValue change={change} />
    </>
  );
}

function ChangeLabel({ change }: { change: keyof typeof styles }) {
  const { Icon, className, word } = styles[change];
  return (
    <span className={clsx('inline-flex shrink-0 items-center gap-1 text-sm', className)}>
      <Icon aria-hidden className="size-3.5" />
      {word}
    </span>
  );
}

type ChangedNameProps = { kind: NamedKind; name: string; change: keyof typeof styles };

function ChangedName({ kind, name, change }: ChangedNameProps) {
  return (
    <div className="flex items-center justify-between gap-2">
      <DefinitionName kind={kind} name={name} />
      <ChangeLabel change={change} />
    </div>
  );
}

function ChangedTool({ change }: { change: Change<RequestTool> }) {
  if (change.change === 'removed') return null;
  if (change.change === 'added') return <ToolDescription tool={change.after} />;
  return (
    <ComparedText
      before={JSON.stringify(change.before, null, 2)}
      after={JSON.stringify(change.after, null, 2)}
    />
  );
}

function ChangedValue({ change }: { change: Change<unknown> }) {
  return (
    <dl className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-3">
      <dt className="text-sm text-ink-3">before</dt>
      <dd>{change.change === 'added' ? <EmptyText>not set</EmptyText> : <Data value={change.before} />}</dd>
      <dt className="text-sm text-ink-3">now</dt>
      <dd>{change.change === 'removed' ? <EmptyText>not set</EmptyText> : <Data value={change.after} />}</dd>
    </dl>
  );
}

/** Two texts, merged, without the lines that are far from any difference. */
function ComparedText({ before, after }: { before: string; after: string }) {
  if (Math.max(before.length, after.length) > MAX_COMPARED_LENGTH) {
    return <EmptyText>The texts are too long to compare here. The Request tab has each of them.</EmptyText>;
  }
  return (
    <div className="font-mono text-sm wrap-anywhere whitespace-pre-wrap text-ink-2">
      <TextDiff before={visibleText(before)} after={visibleText(after)} folds />
    </div>
  );
}
