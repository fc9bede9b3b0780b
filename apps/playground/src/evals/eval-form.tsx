import { clsx } from 'clsx';
import { ChevronRight, Plus, X } from 'lucide-react';
import { useRef } from 'react';
import { useTypedText } from '../input/use-typed-text.ts';
import type { ConnectionSettings } from '../model/connection.ts';
import type { EditablePrompt } from '../prompts/editable-prompt.ts';
import { StatusBadge } from '../prompts/status-badge.tsx';
import { Button } from '../ui/button.tsx';
import { Checkbox, Choose, TextInput } from '../ui/form-controls.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { choosePrompt } from './choose-prompt.ts';
import { MAX_MODELS, type EvalSettings, type ScorerKind, type ScorerSetting } from './eval-settings.ts';
import { furtherModels, missingVersions, otherModels, ownModel } from './plan-eval.ts';
import { useEvals } from './store.ts';

type EvalFormProps = {
  settings: EvalSettings;
  prompts: readonly EditablePrompt[];
  connection: ConnectionSettings;
};

/** The form for an eval: a prompt, its versions, the models and the scorers. */
export function EvalForm({ settings, prompts, connection }: EvalFormProps) {
  const change = useEvals((state) => state.change);
  const ids = [...new Set(prompts.map(({ id }) => id))];
  const versions = prompts.filter(({ id }) => id === settings.prompt);
  const chosen = useRef(new Map<string, readonly string[]>());
  const changePrompt = (id: string): void => {
    chosen.current.set(settings.prompt, settings.versions);
    choosePrompt(id, chosen.current.get(id));
  };
  const choose = (version: string, isChosen: boolean): void => {
    const others = settings.versions.filter((one) => one !== version);
    change({ versions: isChosen ? [...others, version] : others });
  };
  return (
    <div className="grid gap-4 p-4 narrow:p-3">
      <div className="grid grid-cols-[1fr_88px_88px] gap-3">
        <Choose
          label="Prompt"
          value={settings.prompt}
          onChoose={changePrompt}
          options={
            ids.includes(settings.prompt) ? ids : [[settings.prompt, `${settings.prompt} (missing)`], ...ids]
          }
        />
        <NumberField
          label="Repeats"
          most={20}
          value={settings.repeat}
          onNumber={(repeat) => change({ repeat })}
        />
        <NumberField
          label="Parallel runs"
          most={20}
          value={settings.concurrency}
          onNumber={(concurrency) => change({ concurrency })}
        />
      </div>
      <fieldset>
        <legend className="mb-0.5 text-sm font-medium">Versions</legend>
        <div className="flex flex-wrap gap-x-5">
          {versions.map(({ version, status }, index) => (
            <Checkbox
              key={index}
              label={
                <span className="flex items-center gap-2">
                  <span className="font-mono">{visibleText(version)}</span>
                  <StatusBadge status={status} />
                </span>
              }
              checked={settings.versions.includes(version)}
              onCheck={(isChosen) => choose(version, isChosen)}
            />
          ))}
          {missingVersions(settings, versions).map((version) => (
            <Checkbox
              key={`missing ${version}`}
              label={<span className="font-mono">{visibleText(version)} (missing)</span>}
              checked
              onCheck={() => choose(version, false)}
            />
          ))}
        </div>
      </fieldset>
      <Models settings={settings} connection={connection} />
      <Scorers scorers={settings.scorers} />
    </div>
  );
}

function NumberField(props: {
  label: string;
  value: number;
  most: number;
  onNumber: (value: number) => void;
}) {
  const numbers = Array.from({ length: props.most }, (_, index) => String(index + 1));
  return (
    <Choose
      label={props.label}
      value={String(props.value)}
      onChoose={(value) => props.onNumber(Number(value))}
      options={numbers}
    />
  );
}

function Models({ settings, connection }: Pick<EvalFormProps, 'settings' | 'connection'>) {
  const change = useEvals((state) => state.change);
  const own = ownModel(connection);
  const isDemo = connection.kind === 'demo';
  const shown = [own, ...furtherModels(settings, connection)];
  const others = otherModels(settings, connection);
  const most = Math.max(0, MAX_MODELS - others.length);
  const hasSmall = settings.models.includes('demo-small');
  const set = (further: readonly string[]): void => change({ models: [...others, ...further] });
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-sm font-medium">Models</legend>
      {isDemo ? (
        <div className="flex flex-wrap gap-x-5">
          <Checkbox label="demo (simulated)" checked disabled onCheck={() => {}} />
          <Checkbox
            label={
              most === 0 && !hasSmall
                ? `demo-small: this eval already has ${MAX_MODELS} models of other connections`
                : 'demo-small (simulated, makes more mistakes)'
            }
            checked={hasSmall}
            disabled={most === 0 && !hasSmall}
            onCheck={(checked) => set(checked ? ['demo-small'] : [])}
          />
        </div>
      ) : (
        <FurtherModels
          label={`${own} and more models of the same provider`}
          models={settings.models.filter((id) => id !== 'demo-small')}
          most={most}
          onChange={set}
        />
      )}
      <details className="group">
        <summary className="inline-flex min-h-7 items-center text-sm text-ink-2 hover:text-ink narrow:min-h-11">
          <ChevronRight className="mr-1 -ml-0.5 size-3.5 transition-transform group-open:rotate-90" />
          Prices, for the cost of a run
        </summary>
        <div className="mt-1 grid gap-2">
          {shown.map((id) => (
            <Price key={id} id={id} settings={settings} />
          ))}
          <p className="text-sm text-ink-3">
            In dollars per million tokens, as the provider lists them.
            {settings.scorers.some(({ kind }) => kind === 'judge') && ` The judge is ${own}, at its price.`}
          </p>
        </div>
      </details>
    </fieldset>
  );
}

function Price({ id, settings: { prices } }: { id: string; settings: EvalSettings }) {
  const price = (Object.hasOwn(prices, id) ? prices[id] : undefined) ?? { input: '', output: '' };
  const set = (next: Partial<typeof price>): void =>
    useEvals.getState().change({ prices: { ...prices, [id]: { ...price, ...next } } });
  return (
    <div className="grid grid-cols-[1fr_110px_110px] items-end gap-2">
      <span className="truncate pb-1 font-mono narrow:pb-3">{visibleText(id)}</span>
      <TextInput label="Input" inputMode="decimal" value={price.input} onText={(input) => set({ input })} />
      <TextInput
        label="Output"
        inputMode="decimal"
        value={price.output}
        onText={(output) => set({ output })}
      />
    </div>
  );
}

const kinds: readonly (readonly [ScorerKind, string])[] = [
  ['equals', 'equals the expected answer'],
  ['contains', 'contains a text'],
  ['matches', 'matches a pattern'],
  ['jsonEquals', 'is the expected JSON'],
  ['closeTo', 'is close to the expected number'],
  ['judge', 'is judged by the model'],
];
const details: Partial<Record<ScorerKind, { label: string; placeholder: string }>> = {
  contains: { label: 'Text', placeholder: 'the expected answer' },
  matches: { label: 'Regular expression', placeholder: 'the expected answer' },
  closeTo: { label: 'Largest difference', placeholder: '0' },
  judge: { label: 'Rubric', placeholder: 'Friendly, at most three sentences, no promises.' },
};

function Scorers({ scorers }: { scorers: readonly ScorerSetting[] }) {
  const set = (next: readonly ScorerSetting[]): void => useEvals.getState().change({ scorers: next });
  const addButton = useRef<HTMLButtonElement>(null);
  return (
    <fieldset className="grid gap-2">
      <legend className="mb-1 text-sm font-medium">A run passes if its answer …</legend>
      {scorers.map((scorer, index) => {
        const detail = details[scorer.kind];
        const replace = (next: Partial<ScorerSetting>): void =>
          set(scorers.map((one, at) => (at === index ? { ...one, ...next } : one)));
        return (
          <div
            key={index}
            className="grid grid-cols-[minmax(0,1fr)_minmax(0,1.2fr)_auto] gap-2 narrow:grid-cols-[1fr_auto]"
          >
            <Choose
              label={`Condition ${index + 1}`}
              quiet
              // it has the room of the text that its kind does not need
              className={clsx(detail === undefined && 'col-span-2 narrow:col-span-1')}
              value={scorer.kind}
              // the text stays: a key that passes another kind must not delete it
              onChoose={(kind) => replace({ kind })}
              options={kinds}
            />
            {detail !== undefined && (
              <TextInput
                label={detail.label}
                quiet
                placeholder={`${detail.label}: ${detail.placeholder}`}
                value={scorer.value}
                onText={(value) => replace({ value })}
                className="narrow:order-last narrow:col-span-2"
              />
            )}
            <Button
              square
              aria-label={`Remove condition ${index + 1}`}
              disabled={scorers.length === 1}
              onClick={() => {
                set(scorers.filter((_, at) => at !== index));
                addButton.current?.focus();
              }}
            >
              <X />
            </Button>
          </div>
        );
      })}
      <Button
        ref={addButton}
        className="-ml-2.5 justify-self-start"
        disabled={scorers.length >= 10}
        onClick={() => set([...scorers, { kind: 'contains', value: '' }])}
      >
        <Plus />
        Add a condition
      </Button>
    </fieldset>
  );
}

/** The ids of models, with commas between them. Only the first `most` count. */
function FurtherModels({
  label,
  models,
  most,
  onChange,
}: {
  label: string;
  models: readonly string[];
  most: number;
  onChange: (models: readonly string[]) => void;
}) {
  const read = (text: string): readonly string[] => readIds(text).slice(0, most);
  const [text, setText] = useTypedText(models, read, (ids) => ids.join(', '));
  const left = readIds(text).slice(most);
  return (
    <TextInput
      label={label}
      code
      value={text}
      placeholder="gpt-5-nano, gpt-5"
      problem={
        left.length === 0
          ? undefined
          : `An eval has at most ${MAX_MODELS} more models, including those of other connections. Remove ${left.join(', ')}.`
      }
      onText={(next) => {
        setText(next);
        onChange(read(next));
      }}
    />
  );
}

function readIds(text: string): readonly string[] {
  return text
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
}
