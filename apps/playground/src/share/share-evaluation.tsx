import { useMemo, useState } from 'react';
import {
  linkProblemOf,
  readEvalSettings,
  toSharedResult,
  type EvalSettings,
} from '../evals/eval-settings.ts';
import { runKey, useEvals, type Evaluation } from '../evals/store.ts';
import type { ConnectionSettings } from '../model/connection.ts';
import { resultsWithoutServers } from '../model/without-servers.ts';
import { sharedOf, usePrompts, type PromptsState } from '../prompts/store.ts';
import { readShared } from '../prompts/stored-prompts.ts';
import { usePlayground } from '../state/store.ts';
import { ShareChoice } from './share-choice.tsx';
import { SharePayload } from './share-payload.tsx';
import { Warning } from './warning.tsx';

/** The eval with its prompt, as a link that can include the results. */
export function ShareEvaluation() {
  const current = useEvals((state) => state.settings);
  const evaluation = useEvals((state) => state.evaluation);
  const evaluating = usePlayground((state) => state.evaluating);
  const connection = usePlayground((state) => state.connection);
  const prompts = usePrompts();
  const [what, setWhat] = useState<'eval' | 'results'>('results');
  const hasResults = evaluation !== undefined && evaluation.results.size > 0 && !evaluating;
  const payload = useMemo(
    () => toPayload(prompts, hasResults && what === 'results' ? evaluation : current, connection),
    [prompts, hasResults, what, evaluation, current, connection],
  );
  const problem = linkProblemOf(payload.evaluation.settings);
  return (
    <>
      <ShareChoice
        title="Share this eval"
        value={what}
        onChoose={setWhat}
        options={{ eval: 'Eval', results: 'Eval and results' }}
        hasChoice={hasResults}
      />
      {payload.prompts.prompts.length === 0 ? (
        <Warning>
          There is no prompt “{payload.evaluation.settings.prompt}” any more, so the link would not open.
          Choose the prompt of this eval.
        </Warning>
      ) : problem !== undefined ? (
        <Warning>{problem}</Warning>
      ) : (
        <SharePayload what="evaluation" payload={payload}>
          {hasResults && what === 'results'
            ? 'The prompt, the cases, and every answer with its scores. The runs themselves stay here.'
            : 'The prompt with its versions, the cases and the scorers. Nothing runs until someone presses Run.'}
        </SharePayload>
      )}
    </>
  );
}

/** Returns the content of the link, as a reader gets it: an opened link is made again with the same text. */
function toPayload(state: PromptsState, shown: Evaluation | EvalSettings, connection: ConnectionSettings) {
  const settings = 'results' in shown ? shown.settings : shown;
  // of the prompts, the eval's own
  const own = state.entries.filter(({ prompt }) => prompt.id === settings.prompt);
  // results are shared with the texts that they are of, even if those were edited since
  const prompts = 'results' in shown ? shown.prompts : sharedOf({ ...state, entries: own }).prompts;
  const results =
    'results' in shown
      ? { results: resultsWithoutServers(inOrder(shown), connection).map(toSharedResult) }
      : {};
  const shared = { prompts, selected: 0, values: {} };
  return {
    prompts: readShared(shared) ?? shared,
    evaluation: { settings: readEvalSettings(settings) ?? settings, ...results },
  };
}

/** The results in the order of the table, whatever the order in which their runs ended. */
function inOrder({ runs, results }: Evaluation) {
  return runs.flatMap((run) => results.get(runKey(run)) ?? []);
}
