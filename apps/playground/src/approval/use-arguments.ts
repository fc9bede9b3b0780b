import { useMemo, useState } from 'react';
import { areNested, type Draft } from '../input/draft.ts';
import { isSameJson } from '../input/same-json.ts';
import { shownProblems } from '../input/shown-problems.ts';
import { useKeptState, type DraftOwner } from '../input/use-kept-state.ts';
import {
  draftArguments,
  isEdited,
  readArgumentsDraft,
  type ArgumentsDraft,
  type ArgumentsView,
} from './arguments-draft.ts';
import { issuesByField } from './issues-by-field.ts';
import type { RefusedArguments } from './refused-arguments.ts';

/** The arguments of a call while the user edits them. */
export type EditedArguments = {
  args: ArgumentsDraft;
  /** Messages by the path of their field. */
  problems: ReadonlyMap<string, string>;
  /** The problem with the JSON. */
  fault: string | undefined;
  /** Why the last arguments were refused, unless a field says so. */
  refusal: string | undefined;
  /** How often the user wanted to use arguments that cannot be read: each time, the first problem takes the focus. */
  attempts: number;
  /** True if they differ from those of the model. */
  isChanged: boolean;
  setDraft(draft: Draft, path: string): void;
  setJson(json: string): void;
  setView(view: ArgumentsView): void;
  /** Returns the arguments; shows the problems and returns undefined if they cannot be read. */
  read(): { value: unknown } | undefined;
  /** Goes back to the arguments of the model. */
  reset(): void;
};

/**
 * Lets the user edit the arguments of a call, which begin with the refused ones if there are any. What the user has
 * written is kept for `owner`.
 */
export function useArguments(
  owner: DraftOwner,
  schema: unknown,
  input: unknown,
  refused: RefusedArguments | undefined,
): EditedArguments {
  const [args, setArgs] = useKeptState(owner, 'arguments', () =>
    draftArguments(schema, refused === undefined ? input : refused.input),
  );
  const [reason, setReason] = useKeptState(owner, 'reason', () => refused?.reason);
  const [issues, setIssues] = useKeptState(
    owner,
    'issues',
    () => refused && issuesByField(refused.reason, args.field),
  );
  const [attempts, setAttempts] = useState(0);
  const [showsAll, setShowsAll] = useState(false);
  const [fault, setFault] = useState<string>();
  const problems = useMemo(
    () => new Map([...(issues ?? []), ...shownProblems(args.field, args.draft, showsAll)]),
    [args, issues, showsAll],
  );
  const open = (next: ArgumentsDraft): void => {
    setArgs(next);
    setShowsAll(false);
    setFault(undefined);
  };
  const forgetRefusal = (): void => {
    setReason(undefined);
    setIssues(undefined);
  };
  const read = (): { value: unknown } | undefined => {
    const reading = readArgumentsDraft(args);
    setFault(faultOf(args));
    if ('value' in reading) return reading;
    setShowsAll(true);
    setAttempts(attempts + 1);
    return undefined;
  };

  return {
    args,
    problems,
    fault,
    refusal: issues !== undefined && args.view === 'fields' ? undefined : reason,
    attempts,
    isChanged: isEdited(args, input),
    setDraft(draft, path) {
      setArgs({ ...args, draft });
      setIssues(issues && new Map([...issues].filter(([at]) => !areNested(at, path))));
    },
    setJson(json) {
      const next = { ...args, json };
      setArgs(next);
      if (fault !== undefined) setFault(faultOf(next));
    },
    setView(view) {
      const written = read();
      if (written === undefined) return;
      const next = draftArguments(schema, written.value, view);
      // only an object has fields
      if (next.view !== view) return setFault('The form needs a JSON object. Write one, such as {}.');
      open(next);
      if (!isSameJson(written.value, args.value)) forgetRefusal();
    },
    read,
    reset() {
      open(draftArguments(schema, input));
      forgetRefusal();
    },
  };
}

function faultOf(args: ArgumentsDraft): string | undefined {
  const reading = readArgumentsDraft(args);
  return 'fault' in reading ? reading.fault : undefined;
}
