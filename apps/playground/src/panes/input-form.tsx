import { FileInput } from 'lucide-react';
import { useEffect, useMemo, useRef } from 'react';
import { readDraft, ROOT } from '../input/draft.ts';
import { InputField, InputFields } from '../input/input-fields.tsx';
import type { Field } from '../input/schema-fields.ts';
import { problemsOf, useScriptInput } from '../state/script-input.ts';
import { usePlayground } from '../state/store.ts';
import { Chevron } from '../ui/chevron.tsx';
import { summarize } from '../ui/format.ts';

/** A form for the input of the script in the editor, which folds to one line once the script has run. */
export function InputForm({ field }: { field: Field }) {
  const state = useScriptInput();
  const { report, draft, open, refusals, setDraft } = state;
  const hasRun = usePlayground(({ session }) => session?.shared === false);
  const section = useRef<HTMLElement>(null);
  const problems = useMemo(() => problemsOf(state), [state]);

  useEffect(() => {
    if (refusals === 0) return;
    section.current?.querySelector<HTMLElement>('[aria-invalid=true], [data-invalid]')?.focus();
  }, [refusals]);

  const { input } = readDraft(field, draft);
  // the input that a prompt function reads may be what a failed run lacked
  const lacksInput = input === undefined && report?.input.kind === 'no-schema';
  const isOpen = open ?? (!hasRun || lacksInput);
  return (
    <section
      ref={section}
      aria-label="Input"
      className="flex max-h-[50%] shrink-0 flex-col border-b border-line bg-panel"
    >
      <h2 className="shrink-0">
        <button
          type="button"
          aria-expanded={isOpen}
          onClick={() => useScriptInput.setState({ open: !isOpen })}
          className="flex h-9 w-full items-center gap-2 px-4 text-left text-sm focus-visible:-outline-offset-2 narrow:h-11"
        >
          <FileInput aria-hidden className="size-3.5 shrink-0 text-ink-3" />
          <span className="shrink-0 font-medium">{hasRun ? 'Input of the next run' : 'Input'}</span>
          <span className="min-w-0 flex-1 truncate text-ink-3">
            {!isOpen && (input === undefined ? 'none' : summarize(input, 120))}
          </span>
          {problems.size > 0 && !isOpen && <span className="shrink-0 text-danger">Needs a change</span>}
          <Chevron open={isOpen} />
        </button>
      </h2>
      {isOpen && (
        <div className="scroll min-h-0 px-4 pb-3 narrow:px-3">
          {field.kind === 'object' && !field.optional && !field.nullable ? (
            <>
              {problems.has(ROOT) && (
                <p tabIndex={-1} data-invalid className="mb-2 text-sm text-danger">
                  {problems.get(ROOT)}
                </p>
              )}
              <InputFields field={field} draft={draft} path={ROOT} problems={problems} onDraft={setDraft} />
            </>
          ) : (
            <InputField
              name="Value"
              field={field}
              draft={draft}
              path={ROOT}
              problems={problems}
              onDraft={setDraft}
            />
          )}
        </div>
      )}
    </section>
  );
}
