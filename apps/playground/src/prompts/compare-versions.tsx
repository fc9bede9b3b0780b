import type { RunState } from '@cueline/core';
import { useRun } from '@cueline/react';
import { LoaderCircle, Play } from 'lucide-react';
import type { ReactNode } from 'react';
import { isSameJson } from '../input/same-json.ts';
import { noRun } from '../state/shown-run.ts';
import { usePlayground } from '../state/store.ts';
import { Button } from '../ui/button.tsx';
import { Choose } from '../ui/form-controls.tsx';
import { formatDuration, plural } from '../ui/format.ts';
import { compareTexts, Differences } from '../ui/text-diff.tsx';
import { Sentence } from '../ui/text/sentence.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { expand, type Values } from './check-prompts.ts';
import { startComparison, stopComparison, useComparison, type Compared } from './comparison.ts';
import { parametersOf, type EditablePrompt } from './editable-prompt.ts';
import { usePrompts } from './store.ts';

type CompareVersionsProps = { prompt: EditablePrompt; values: Values };

/** The version of the form beside another one: their texts and their answers, with the differences marked. */
export function CompareVersions({ prompt, values }: CompareVersionsProps) {
  const entries = usePrompts((state) => state.entries);
  const selected = usePrompts((state) => state.selected);
  const compared = usePrompts((state) => state.compared);
  const others = entries.filter(({ key }) => key !== selected);
  const other =
    others.find(({ key }) => key === compared) ??
    others.find((entry) => entry.prompt.id === prompt.id) ??
    others[0];
  if (other === undefined) {
    return (
      <p className="p-4 text-ink-2">
        There is one version. Press New version, change it, and compare the two here.
      </p>
    );
  }
  return (
    <div className="grid gap-4 p-4">
      <Choose
        label="Compare with"
        className="max-w-80"
        value={other.key}
        onChoose={(key) => usePrompts.setState({ compared: key })}
        options={others.map((entry) => [entry.key, titleOf(entry.prompt)])}
      />
      <SideBySide
        title="System prompt"
        before={other.prompt}
        after={prompt}
        of={({ systemPrompt }) => systemPrompt}
      />
      <SideBySide
        title="User message"
        before={other.prompt}
        after={prompt}
        of={({ userPrompt }) => userPrompt}
      />
      <Answers keys={`${other.key} ${selected}`} of={{ before: other.prompt, after: prompt, values }} />
    </div>
  );
}

function titleOf({ id, version, status }: EditablePrompt): string {
  return visibleText(`${id} ${version} (${status})`);
}

type Pair = { before: EditablePrompt; after: EditablePrompt };

function SideBySide({
  title,
  before,
  after,
  of,
}: Pair & { title: string; of: (prompt: EditablePrompt) => string }) {
  const [one, two] = [visibleText(of(before)), visibleText(of(after))];
  if (one === '' && two === '') return null;
  const changes = compareTexts(one, two);
  return (
    <section>
      <h3 className="mb-1 text-sm font-medium">
        {title}
        {one === two && <span className="font-normal text-ink-3"> · the same in both</span>}
      </h3>
      <div className="grid grid-cols-2 gap-3 narrow:grid-cols-1">
        <Version prompt={before}>
          <Differences changes={changes} side="before" />
        </Version>
        <Version prompt={after}>
          <Differences changes={changes} side="after" />
        </Version>
      </div>
    </section>
  );
}

function Version({
  prompt,
  note,
  children,
}: {
  prompt: EditablePrompt;
  note?: ReactNode;
  children: ReactNode;
}) {
  return (
    <div className="min-w-0 rounded-lg border border-line bg-panel">
      <p className="flex items-center gap-2 border-b border-line px-3 py-1 text-sm text-ink-2">
        <span className="min-w-0 truncate font-mono">{visibleText(prompt.id)}</span>{' '}
        <span className="-ml-0.5 shrink-0 font-mono">{visibleText(prompt.version)}</span>
        <span className="ml-auto shrink-0 text-ink-3">{note}</span>
      </p>
      <div dir="auto" className="px-3 py-2 whitespace-pre-wrap wrap-anywhere">
        {children}
      </div>
    </div>
  );
}

/** Why the two versions cannot run now; undefined if they can. */
function lackOf({ before, after, values }: Compared): string | undefined {
  const [one, two] = [expand(before, values), expand(after, values)];
  if (one === undefined || two === undefined)
    return 'A version has faults. Correct what is marked in its form first.';
  const fields = new Set(parametersOf([after]).map(({ name }) => name));
  const missing = 'problems' in one ? [...one.problems.keys()].filter((name) => !fields.has(name)) : [];
  if (missing.length > 0)
    return visibleText(
      `${before.id} ${before.version} needs ${missing.join(', ')}, which this version does not have.`,
    );
  return 'problems' in one || 'problems' in two ? 'Fill in the values of both versions first.' : undefined;
}

/** The answers of both versions to the same values. */
function Answers({ keys, of }: { keys: string; of: Compared }) {
  const { before, after } = of;
  const runs = useComparison(({ last }) => (last?.keys === keys ? last : undefined));
  const one = useRun(runs?.before ?? noRun);
  const two = useRun(runs?.after ?? noRun);
  const model = usePlayground(({ connection }) => connection.kind);
  const lack = lackOf(of);
  const isOld = runs !== undefined && !isSameJson(runs.of, of);
  const going = [one, two].some(({ status }) => status === 'running');
  const ended = runs !== undefined && [one, two].every(({ status }) => status === 'done');
  const changes = ended ? compareTexts(visibleText(one.text), visibleText(two.text)) : undefined;
  return (
    <section>
      <div className="mb-1.5 flex items-center gap-3">
        <h3 className="text-sm font-medium">Answers</h3>
        <Button
          variant="outline"
          toggles
          disabled={lack !== undefined && !going}
          onClick={() => (going ? stopComparison() : startComparison(keys, of))}
        >
          {going ? <LoaderCircle className="animate-spin" /> : <Play />}
          {going ? 'Stop both' : 'Run both'}
        </Button>
        <span className="text-sm text-ink-3">
          {isOld
            ? 'These answers are from before your changes.'
            : (lack ?? `Two calls${model === 'demo' ? ' of the demo model' : ''}.`)}
        </span>
      </div>
      {runs !== undefined && (
        <div className="grid grid-cols-2 gap-3 narrow:grid-cols-1" data-testid="answers">
          <Version prompt={before} note={factsOf(one)}>
            {changes ? <Differences changes={changes} side="before" /> : <Answer state={one} />}
          </Version>
          <Version prompt={after} note={factsOf(two)}>
            {changes ? <Differences changes={changes} side="after" /> : <Answer state={two} />}
          </Version>
        </div>
      )}
    </section>
  );
}

function Answer({ state }: { state: RunState }) {
  if (state.status === 'error')
    return (
      <span className="text-danger">
        <Sentence text={visibleText(state.error?.message ?? '')} />
      </span>
    );
  const isStopped = state.status === 'stopped';
  if (state.text === '' && !isStopped) return <span className="text-ink-3">…</span>;
  return (
    <>
      {visibleText(state.text)}
      {isStopped && <span className="block text-ink-3">Stopped.</span>}
    </>
  );
}

function factsOf({ status, elapsed, usage }: RunState): string {
  return status === 'done' ? `${plural(usage.totalTokens, 'token')} · ${formatDuration(elapsed)}` : '';
}
