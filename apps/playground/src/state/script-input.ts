import type { InputIssue } from '@cueline/core';
import { create } from 'zustand';
import { areNested, keysOf, readDraft, ROOT, toDraft, type Draft } from '../input/draft.ts';
import { fitDraft } from '../input/fit-draft.ts';
import { nearestField } from '../input/nearest-field.ts';
import { isSameJson } from '../input/same-json.ts';
import { anyValue, toField, withoutSchema, type Field } from '../input/schema-fields.ts';
import { shownProblems } from '../input/shown-problems.ts';
import type { ScriptReport } from '../sandbox/index.ts';
import { usePlayground } from './store.ts';

/** What the user has typed into the form of a prompt. */
type TypedInput = { readonly name: string; readonly field: Field; readonly draft: Draft };

/** The input of the script in the editor, as it is typed. */
export type ScriptInput = {
  /** The report of the last check; undefined if the script takes no input, or has not been loaded yet. */
  report: ScriptReport | undefined;
  /** The form; undefined for a script without input. */
  field: Field | undefined;
  draft: Draft;
  /** What was typed last for each script of this page, by the script's id. */
  typed: ReadonlyMap<string, TypedInput>;
  /** The problems that the script's schema found in the last input. */
  issues: readonly InputIssue[];
  /**
   * How often the user has pressed Run with an incomplete form; after the first time, the form shows what is missing.
   */
  refusals: number;
  /** Whether the form is unfolded; undefined until the user decides. */
  open: boolean | undefined;
  /** Sets the draft, of which the value at this path has changed. */
  setDraft(draft: Draft, path: string): void;
};

/** How many scripts' inputs are kept, and how long one of a run may be, in characters of JSON. */
const MAX_INPUTS = 20;
const MAX_INPUT_LENGTH = 100_000;

export const useScriptInput = create<ScriptInput>()((set) => ({
  report: undefined,
  field: undefined,
  draft: undefined,
  typed: new Map(),
  issues: [],
  refusals: 0,
  open: undefined,
  setDraft: (draft, path) =>
    set(({ report, field, typed, issues }) => ({
      draft,
      ...(report !== undefined && field !== undefined
        ? { typed: withTyped(typed, { name: report.name, field, draft }) }
        : {}),
      issues: issues.filter((issue) => !areNested(issue.path, path)),
    })),
}));

function withTyped(typed: ScriptInput['typed'], input: TypedInput): ScriptInput['typed'] {
  const { id } = usePlayground.getState().openScript;
  const others = [...typed].filter(([other]) => other !== id);
  return new Map([...others.slice(-(MAX_INPUTS - 1)), [id, input]]);
}

/**
 * A session, an agent with its text, or a prompt function that has one parameter and is written in place. Expects
 * single spaces. The script may come from a link, so everything of any length is bounded: the time grows with the
 * length only.
 */
const takesNoInput = new RegExp(
  String.raw`\bexport default (?:defineSession\b|\w{1,100}\.prompt ?\( ?['"\`]|` +
    String.raw`(?:definePrompt ?(?:<[^()]{0,500}>)? ?\([^(){}]{0,500}, ?)?(?:async ?)?(?:function\b ?\w{0,100} ?)?` +
    String.raw`(?:\w{1,100} ?=>|\( ?(?:\w{1,100} ?(?::[^(),]{0,500})?)?,? ?\)))`,
);

/** The last answer: the page asks at every change of its state. */
let last: { script: string; may: boolean } | undefined;

/** Whether a script may take input, from its text: most scripts do not, and need not be loaded to find out. */
export function mayTakeInput(script: string): boolean {
  if (last?.script !== script) last = { script, may: readMayTakeInput(script) };
  return last.may;
}

function readMayTakeInput(script: string): boolean {
  if (/\binput\b/.test(script)) return true;
  return /\bexport\b/.test(script) && !takesNoInput.test(script.replace(/\s+/g, ' '));
}

/**
 * Shows the form of this report. What was typed for the script in the editor stays, also under another name of the
 * prompt and after another script. A form in which nothing was typed begins with the prompt's last input.
 */
export function showScriptReport(report: ScriptReport | undefined): void {
  const { report: before } = useScriptInput.getState();
  if (JSON.stringify(before) === JSON.stringify(report)) return;
  const field = report && fieldOf(report);
  const draft = report && field && draftOf(report.name, field);
  const isSame = field !== undefined && before?.name === report?.name;
  useScriptInput.setState({
    report,
    field,
    draft,
    ...(isSame ? {} : { issues: [], refusals: 0, open: undefined }),
  });
}

/** The draft with which the form of a prompt begins. */
function draftOf(name: string, field: Field): Draft {
  const { report, field: shownField, draft, typed } = useScriptInput.getState();
  const { openScript, inputs } = usePlayground.getState();
  const fit = (input: TypedInput): Draft => fitDraft(input.draft, input.field, field);
  const shown = report && shownField && { name: report.name, field: shownField, draft };
  const own = typed.get(openScript.id);
  const same = [own, shown].find((one) => one?.name === name);
  if (same !== undefined) return fit(same);
  const renamed = own && fit(own);
  if (!isSameJson(readDraft(field, renamed).input, readDraft(field, undefined).input)) return renamed;
  if (Object.hasOwn(inputs, name)) return toDraft(field, inputs[name]);
  return shown && fit(shown);
}

function fieldOf({ name, input }: ScriptReport): Field | undefined {
  switch (input.kind) {
    case 'none':
      return undefined;
    case 'no-schema':
      return withoutSchema(name);
    case 'any':
      return anyValue;
    case 'schema':
      return toField(input.schema);
  }
}

/** The input as it is typed; undefined if the form is incomplete. */
export function readScriptInput(): { input: unknown } | undefined {
  const { field, draft } = useScriptInput.getState();
  if (field === undefined) return { input: undefined };
  const { input, problems } = readDraft(field, draft);
  return problems.size === 0 ? { input } : undefined;
}

/**
 * The input for a run, which is kept for the next one. If the form is incomplete, it shows what is missing, and the
 * input is undefined.
 */
export function takeScriptInput(script: string): { input: unknown } | undefined {
  // the form may still be that of the script before
  const taken = mayTakeInput(script) ? readScriptInput() : { input: undefined };
  if (taken === undefined) {
    useScriptInput.setState(({ refusals }) => ({ refusals: refusals + 1, open: true }));
    return undefined;
  }
  const { report } = useScriptInput.getState();
  if (report !== undefined && taken.input !== undefined) keepInput(report.name, taken.input);
  useScriptInput.setState({ issues: [], open: undefined });
  return taken;
}

/** Shows the problems that the script's schema found, at their fields. */
export function showInputIssues(issues: readonly InputIssue[]): void {
  useScriptInput.setState({ issues, ...(issues.length > 0 && { open: true }) });
}

function keepInput(name: string, input: unknown): void {
  if (JSON.stringify(input).length > MAX_INPUT_LENGTH) return;
  usePlayground.setState(({ inputs }) => {
    const { [name]: _, ...others } = inputs;
    const kept = Object.entries(others).slice(-(MAX_INPUTS - 1));
    return { inputs: Object.fromEntries([...kept, [name, input]]) };
  });
}

/**
 * Messages by the path of their field: those of the schema and, after the first press on Run, those of incomplete
 * fields.
 */
export function problemsOf({ field, draft, issues, refusals }: ScriptInput): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  if (field === undefined) return found;
  for (const { path, message } of issues) {
    const keys = keysOf(path);
    const shown = nearestField(field, keys, draft) ?? { path: ROOT, rest: keys };
    const text = shown.rest.length === 0 ? `${message}.` : `${shown.rest.join('.')}: ${message}.`;
    found.set(shown.path, [found.get(shown.path), text].filter(Boolean).join(' '));
  }
  return new Map([...found, ...shownProblems(field, draft, refusals > 0)]);
}
