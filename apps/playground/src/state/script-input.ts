import type { InputIssue } from '@cueline/core';
import { create } from 'zustand';
import { readDraft, ROOT, toDraft, type Draft } from '../input/draft.ts';
import { nearestField } from '../input/nearest-field.ts';
import { anyValue, toField, withoutSchema, type Field } from '../input/schema-fields.ts';
import { shownProblems } from '../input/shown-problems.ts';
import type { ScriptFacts } from '../sandbox/index.ts';
import { usePlayground } from './store.ts';

/** The input of the script in the editor, as it is typed. */
export type ScriptInput = {
  /** The facts of the last check; undefined if the script takes no input, or has not been loaded yet. */
  facts: ScriptFacts | undefined;
  /** The form; undefined for a script without input. */
  field: Field | undefined;
  draft: Draft;
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

/** How many scripts' inputs are kept, and how long one may be, in characters of JSON. */
const MOST_INPUTS = 20;
const LONGEST_INPUT = 100_000;

export const useScriptInput = create<ScriptInput>()((set) => ({
  facts: undefined,
  field: undefined,
  draft: undefined,
  issues: [],
  refusals: 0,
  open: undefined,
  setDraft: (draft, path) =>
    set(({ issues }) => ({
      draft,
      issues: issues.filter((issue) => !issue.path.startsWith(path) && !path.startsWith(issue.path)),
    })),
}));

/**
 * A session, an agent with its text, or a prompt function that has one parameter and is written in place. Expects single
 * spaces. The script may come from a link, so everything of any length is bounded: the time grows with the length only.
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

/** Shows the form of these facts. What was typed stays; another prompt's form begins with its last input. */
export function showFacts(facts: ScriptFacts | undefined): void {
  const before = useScriptInput.getState().facts;
  if (JSON.stringify(before) === JSON.stringify(facts)) return;
  const field = facts && fieldOf(facts);
  if (facts !== undefined && field !== undefined && before?.name === facts.name) {
    return useScriptInput.setState({ facts, field });
  }
  const { inputs } = usePlayground.getState();
  const last = facts !== undefined && Object.hasOwn(inputs, facts.name) ? inputs[facts.name] : undefined;
  useScriptInput.setState({
    facts,
    field,
    draft: field && toDraft(field, last),
    issues: [],
    refusals: 0,
    open: undefined,
  });
}

function fieldOf({ name, input }: ScriptFacts): Field | undefined {
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
  const { facts } = useScriptInput.getState();
  if (facts !== undefined && taken.input !== undefined) keepInput(facts.name, taken.input);
  useScriptInput.setState({ issues: [], open: undefined });
  return taken;
}

/** Shows the problems that the script's schema found, at their fields. */
export function showInputIssues(issues: readonly InputIssue[]): void {
  useScriptInput.setState({ issues, ...(issues.length > 0 && { open: true }) });
}

function keepInput(name: string, input: unknown): void {
  if (JSON.stringify(input).length > LONGEST_INPUT) return;
  usePlayground.setState(({ inputs }) => {
    const { [name]: _, ...others } = inputs;
    const kept = Object.entries(others).slice(-(MOST_INPUTS - 1));
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
    const keys = path
      .slice(ROOT.length)
      .split(/[.[\]]+/)
      .filter(Boolean);
    const shown = nearestField(field, keys, draft) ?? { path: ROOT, rest: keys };
    const text = shown.rest.length === 0 ? `${message}.` : `${shown.rest.join('.')}: ${message}.`;
    found.set(shown.path, [found.get(shown.path), text].filter(Boolean).join(' '));
  }
  return new Map([...found, ...shownProblems(field, draft, refusals > 0)]);
}
