import { clsx } from 'clsx';
import { X } from 'lucide-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useInspection, type Selection } from '../../state/inspection.ts';
import type { ShownRun } from '../../state/shown-run.ts';
import { logOf } from '../../state/shown-run.ts';
import type { RunSession } from '../../state/store.ts';
import { Button } from '../../ui/button.tsx';
import { formatCount, formatDuration, plural } from '../../ui/format.ts';
import { LongText } from '../../ui/long-text.tsx';
import { TextDiff } from '../../ui/text-diff.tsx';
import { visibleText } from '../../ui/visible-text.ts';
import { definitionLooks, type NamedKind } from '../../request/definition-name.tsx';
import { usesOfDefinition, type DefinitionUse } from './definition-uses.ts';
import { MoreButton, Nothing, Section } from '../../ui/section.tsx';
import { variableHistory, type ShownLog, type VariableChange } from './variable-history.ts';

/** How many rows are drawn at first, and again at each press. */
const ROWS_AT_ONCE = 50;
/** How much of a value is drawn at first, and how much is compared with the one before, in characters. */
const FIRST_CHARACTERS = 1_000;
const LONGEST_COMPARED = 20_000;

type DefinitionViewProps = {
  session: RunSession;
  shown: ShownRun;
  selected: Extract<Selection, { kind: 'definition' }>;
  onClose: () => void;
};

/** A definition: the values of a variable over time, and the steps whose requests have the definition. */
export function DefinitionView({ session, shown, selected: { of, name }, onClose }: DefinitionViewProps) {
  const kind = of === 'agent' ? 'tool' : of;
  const isNamed = kind === 'variable' || kind === 'system' || kind === 'tool';
  const { Icon, look, word } = isNamed ? definitionLooks[kind] : { Icon: undefined, look: '', word: of };
  return (
    <section
      aria-label={`Definition ${name}`}
      className="flex max-h-[50%] min-h-0 shrink-0 flex-col border-t-2 border-line-strong bg-panel"
    >
      <div className="flex h-9 shrink-0 items-center gap-2 border-b border-line px-4 narrow:px-3 text-sm narrow:h-12">
        {Icon !== undefined && <Icon aria-hidden className={clsx('size-3.5 shrink-0', look)} />}
        <h3 className="flex min-w-0 gap-1.5">
          <bdi className="min-w-0 truncate font-mono font-medium">
            {name === '' ? 'unnamed' : visibleText(name)}
          </bdi>
          <span className="shrink-0 text-ink-3">{of === 'agent' ? 'agent' : word}</span>
        </h3>
        <Button square aria-label="Close the definition" className="ml-auto" onClick={onClose}>
          <X />
        </Button>
      </div>
      <div className="scroll min-h-0 flex-1">
        {kind === 'variable' && <History {...{ session, shown, name }} />}
        {isNamed ? (
          <Uses {...{ shown, kind, name }} />
        ) : (
          <p className="px-4 narrow:px-3 py-2 text-ink-2">
            A request has no part of its own for this definition.
          </p>
        )}
      </div>
    </section>
  );
}

type HistoryProps = { session: RunSession; shown: ShownRun; name: string };

/** The values of a variable. */
function History({ session, shown, name }: HistoryProps) {
  const { turn, state } = shown;
  const lastLog = logOf(session, turn);
  // the steps decide what has been sent, and the variables what has been set
  const changes = useMemo(() => {
    const logs: ShownLog[] = [];
    for (let past = 0; past < turn; past += 1)
      logs.push({ turn: past, log: logOf(session, past), until: Infinity });
    logs.push({ turn, log: lastLog, until: state.seq });
    return variableHistory(name, logs);
    // oxlint-disable-next-line react/exhaustive-deps
  }, [name, session, turn, lastLog, state.variables, state.steps.length, state.agents.length]);
  const [most, setMost] = useState(ROWS_AT_ONCE);
  const first = Math.max(0, changes.length - most);
  return (
    <Section title="Values" hint={formatCount(changes.length)}>
      {changes.length === 0 && <Nothing>This variable has not been set.</Nothing>}
      {first > 0 && (
        <MoreButton onMore={() => setMost(most + ROWS_AT_ONCE)}>
          Show earlier values ({formatCount(first)} left)
        </MoreButton>
      )}
      <ol className="grid grid-cols-[minmax(0,1fr)] gap-2">
        {changes.slice(first).map((change) => (
          <li key={change.key}>
            <Place turn={change.turn} path={change.path} step={change.step} shown={shown}>
              at {formatDuration(change.t)}
            </Place>
            <ValueOf change={change} />
          </li>
        ))}
      </ol>
    </Section>
  );
}

function ValueOf({ change: { value, before } }: { change: VariableChange }) {
  if (value === undefined) return <Nothing>Removed: the task that defined it was over.</Nothing>;
  const isCompared =
    before !== undefined && before.length <= LONGEST_COMPARED && value.length <= LONGEST_COMPARED;
  return (
    <p className="font-mono text-sm wrap-anywhere whitespace-pre-wrap">
      {isCompared ? (
        <TextDiff before={visibleText(before)} after={visibleText(value)} folds />
      ) : value === '' ? (
        <span className="text-ink-3">empty text</span>
      ) : (
        <LongText text={visibleText(value)} atOnce={FIRST_CHARACTERS} />
      )}
    </p>
  );
}

type UsesProps = { shown: ShownRun; kind: NamedKind; name: string };

/** The steps whose requests have the definition, with its tokens in each. */
function Uses({ shown, kind, name }: UsesProps) {
  const { state, earlier } = shown;
  const { steps, agents } = state;
  const uses = useMemo(
    () => usesOfDefinition(kind, name, [...earlier.map((turn) => turn.state), state]),
    // a request does not change after its step's start
    // oxlint-disable-next-line react/exhaustive-deps
    [kind, name, earlier, steps.length, agents],
  );
  const [most, setMost] = useState(ROWS_AT_ONCE);
  const first = Math.max(0, uses.length - most);
  return (
    <Section title="Sent in" hint={`${plural(uses.length, 'step')}, tokens estimated`}>
      {uses.length === 0 && <Nothing>No request has it at this moment.</Nothing>}
      {first > 0 && (
        <MoreButton onMore={() => setMost(most + ROWS_AT_ONCE)}>
          Show earlier steps ({formatCount(first)} left)
        </MoreButton>
      )}
      <ol>
        {uses.slice(first).map((use) => (
          <li key={`${use.turn} ${use.path ?? ''} ${use.startedAt} ${use.step}`}>
            <Place turn={use.turn} path={use.path} step={use.step} shown={shown}>
              {use.changed && <span className="text-warn">changed · </span>}
              {formatCount(use.tokens)} tokens
            </Place>
          </li>
        ))}
      </ol>
    </Section>
  );
}

type PlaceProps = Pick<DefinitionUse, 'turn' | 'path'> & {
  step: number | undefined;
  shown: ShownRun;
  children: ReactNode;
};

/** The step of a row, which the inspector opens, and what else the row says. */
function Place({ turn, path, step, shown, children }: PlaceProps) {
  const run = turn === shown.turn ? shown.state : shown.earlier[turn]?.state;
  const agent = path === undefined ? undefined : run?.agents.findLast((each) => each.path === path);
  const words = [
    ...(shown.turn > 0 ? [`Turn ${turn + 1}`] : []),
    ...(path === undefined ? [] : [agent?.name ?? 'agent']),
    step === undefined ? 'Not sent yet' : `Step ${step + 1}`,
  ].join(' · ');
  return (
    <p className="flex min-h-6 items-center gap-2 text-sm">
      {step === undefined ? (
        <span className="text-ink-2">{words}</span>
      ) : (
        <button
          type="button"
          className="min-w-0 truncate text-text-kind hover:underline narrow:min-h-11"
          onClick={() => useInspection.getState().select({ kind: 'step', turn, agent: path, step })}
        >
          {words}
        </button>
      )}
      <span className="ml-auto shrink-0 text-ink-3">{children}</span>
    </p>
  );
}
