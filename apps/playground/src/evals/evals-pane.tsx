import { FileUp, FlaskConical, Plus, Undo2 } from 'lucide-react';
import { useCallback, useMemo, useRef, useState } from 'react';
import { NoticeBar } from '../panes/notice-bar.tsx';
import { UnreadableNote } from '../panes/unreadable-note.tsx';
import { parametersOf, type EditableParameter } from '../prompts/editable-prompt.ts';
import { usePrompts } from '../prompts/store.ts';
import { usePlayground } from '../state/store.ts';
import { useNarrow } from '../state/theme.ts';
import { Button } from '../ui/button.tsx';
import { FileInput } from '../ui/file-input.tsx';
import { formatCount } from '../ui/format.ts';
import { PaneHeader } from '../ui/pane-header.tsx';
import { visibleText } from '../ui/visible-text.ts';
import { caseColumns, CaseFields } from './case-fields.tsx';
import { EvalForm } from './eval-form.tsx';
import type { EditableCase } from './eval-settings.ts';
import { openCaseFile } from './open-case-file.ts';
import { describePlan, isChosen, planEval } from './plan-eval.ts';
import { useEvals } from './store.ts';

/** How many cases are drawn at first, and with each press of the button. */
const PAGE = 100;

/** The form for the eval and its cases. */
export function EvalsPane() {
  const settings = useEvals((state) => state.settings);
  const hasPrevious = useEvals((state) => state.previous.length > 0);
  const hasUnreadable = useEvals((state) => state.hasUnreadable);
  const entries = usePrompts((state) => state.entries);
  const connection = usePlayground((state) => state.connection);
  const restore = useEvals((state) => state.restore);
  const narrow = useNarrow();
  const prompts = entries.map(({ prompt }) => prompt);
  const plan = planEval(settings, prompts, connection);
  const parameters = useMemo(() => {
    const versions = entries.map(({ prompt }) => prompt).filter(({ id }) => id === settings.prompt);
    const chosen = versions.filter((prompt) => isChosen(settings, prompt));
    return parametersOf(chosen.length === 0 ? versions : chosen);
  }, [entries, settings]);
  const planned = (
    <span data-testid="plan" className="truncate text-ink-2 narrow:whitespace-normal">
      {describePlan(plan)}
    </span>
  );
  return (
    <section aria-label="Eval" className="flex min-h-0 flex-1 flex-col bg-panel">
      <PaneHeader
        title={
          narrow ? (
            // the tab above has the name
            <>
              <span className="sr-only">Eval</span>
              {planned}
            </>
          ) : (
            <>
              <FlaskConical className="size-3.5 text-ink-3" />
              Eval
            </>
          )
        }
      >
        {hasPrevious && (
          <Button onClick={restore} aria-label="Restore your eval">
            <Undo2 />
            <span className="narrow:hidden">Restore your eval</span>
          </Button>
        )}
        {!narrow && planned}
      </PaneHeader>
      <NoticeBar />
      {hasUnreadable && <UnreadableNote what="evals" />}
      <div className="scroll min-h-0 flex-1">
        <EvalForm settings={settings} prompts={prompts} connection={connection} />
        <Cases cases={settings.cases} parameters={parameters} />
      </div>
    </section>
  );
}

type CasesProps = { cases: readonly EditableCase[]; parameters: readonly EditableParameter[] };

/** The cases, and the buttons that add some. */
function Cases({ cases, parameters }: CasesProps) {
  const addCase = useEvals((state) => state.addCase);
  const file = useRef<HTMLInputElement>(null);
  const [shown, setShown] = useState(PAGE);
  /** True until the fields of a new case are shown, whose name takes the focus. */
  const isAdded = useRef(false);
  const selectIfAdded = useCallback((field: HTMLInputElement | null): void => {
    if (field === null || !isAdded.current) return;
    isAdded.current = false;
    field.focus();
    field.select();
  }, []);
  const left = cases.length - shown;
  const parameter = parameters.length === 1 ? parameters[0] : undefined;
  return (
    <section aria-label="Cases" className="border-t border-line">
      <div className="flex items-center gap-1 px-4 pt-3 pb-2 narrow:px-3">
        <h3 className="mr-auto font-semibold">
          Cases <span className="font-normal text-ink-3">{cases.length}</span>
        </h3>
        <Button onClick={() => file.current?.click()}>
          <FileUp />
          Add from a file
        </Button>
        <FileInput
          ref={file}
          label="File of cases"
          accept=".csv,.json"
          onFile={(chosen) => void openCaseFile(chosen)}
        />
      </div>
      {parameter !== undefined && cases.length > 0 && (
        <div aria-hidden className={`grid ${caseColumns} gap-2 px-6 pb-1 text-sm text-ink-3 narrow:hidden`}>
          <span>Name</span>
          <span className="font-mono">{visibleText(parameter.name)}</span>
          <span>Expected answer</span>
          <span className="w-7" />
        </div>
      )}
      <ul className="grid gap-2 px-4 pb-4 narrow:px-3">
        {cases.slice(0, shown).map((one, index) => (
          <CaseFields
            key={index}
            parameters={parameters}
            one={one}
            index={index}
            nameRef={index === cases.length - 1 ? selectIfAdded : undefined}
          />
        ))}
      </ul>
      <div className="grid justify-items-start px-4 pb-4 narrow:px-3">
        {left > 0 && (
          <Button variant="outline" className="mb-2" onClick={() => setShown(shown + PAGE)}>
            Show more cases ({formatCount(left)} left)
          </Button>
        )}
        <Button
          variant="outline"
          onClick={() => {
            isAdded.current = true;
            addCase();
            // the new case is the last one
            setShown(Math.max(shown, cases.length + 1));
          }}
        >
          <Plus />
          Add a case
        </Button>
      </div>
    </section>
  );
}
