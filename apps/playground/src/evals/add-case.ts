import { CuelineError, type RunEvent } from '@cueline/core';
import { caseFromRun } from '@cueline/core/evals';
import { toText, toTexts } from './case-texts.ts';
import { useEvals } from './store.ts';

/** Adds a run of a prompt of the library as a case. Returns the reason if it cannot be one. */
export function addCaseFromRun(log: readonly RunEvent[]): string | undefined {
  const start = log.find((event) => event.type === 'run-start');
  const id = start?.library?.id;
  const { settings, openEvalOf, addCase } = useEvals.getState();
  if (id === undefined)
    return 'This run did not use a prompt of a library, so it has no parameter values for a case. Run a prompt in the Prompts view, and add that run.';
  if ((start?.turns ?? 0) > 0)
    return 'This run is a reply, so its answer depends on the conversation before it, not only on the values. Add the first run of the conversation.';
  try {
    const { input, expect } = caseFromRun<unknown>(log);
    // cases of another prompt have other parameters
    if (settings.prompt !== id) openEvalOf(id, start?.library?.version);
    addCase({ id: 'from-run', input: toTexts(input), expect: toText(expect) });
    return undefined;
  } catch (error) {
    if (CuelineError.isInstance(error)) return error.message;
    throw error;
  }
}
