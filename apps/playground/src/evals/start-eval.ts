import { CuelineError } from '@cueline/core';
import {
  defineEval,
  listRuns,
  memoryEvalStore,
  runEval,
  type EvalProgress,
  type EvalResult,
  type EvalStore,
} from '@cueline/core/evals';
import { toast } from 'sonner';
import { checkConnection } from '../model/connection.ts';
import { createPromptModel } from '../model/prompt-model.ts';
import { usePrompts } from '../prompts/store.ts';
import { withoutKeys } from '../state/redact-events.ts';
import { secretsOf } from '../state/run-session.ts';
import { usePlayground } from '../state/store.ts';
import { createScorers } from './create-scorers.ts';
import { planEval } from './plan-eval.ts';
import { runKey, useEvals } from './store.ts';

/** How often the view shows new results, in milliseconds. */
const SHOW_EVERY_MS = 100;
/** From this many runs on, only those that fail keep their log. */
const MOST_LOGS = 500;

/** Logs of this page's runs: an edited eval repeats only what it must. */
let logs: EvalStore = memoryEvalStore();
let kept = 0;
/** How many logs are kept, before they are forgotten together. */
const MOST_KEPT = 10_000;
let under: AbortController | undefined;

/** `changed`: what has not run yet. `failed`: the failed runs once more. `all`: every run once more. */
export type Extent = 'changed' | 'failed' | 'all';

/** Runs the eval of the form. */
export async function startEval(extent: Extent = 'changed'): Promise<void> {
  if (under !== undefined) return;
  const { settings, evaluation: before } = useEvals.getState();
  const { connection, keys } = usePlayground.getState();
  const plan = planEval(
    settings,
    usePrompts.getState().entries.map(({ prompt }) => prompt),
    connection,
  );
  if ('problem' in plan) {
    toast.error(plan.problem);
    usePlayground.setState({ tab: 'editor' });
    return;
  }
  if ((kept += plan.runs) > MOST_KEPT) [logs, kept] = [memoryEvalStore(), plan.runs];
  const controller = (under = new AbortController());
  usePlayground.setState({ evaluating: true, tab: 'run' });
  try {
    checkConnection(connection, keys);
    const models = await Promise.all(plan.models.map((id) => createPromptModel({ connection, keys }, id)));
    const definition = defineEval({
      name: settings.prompt,
      prompt: plan.prompts[0]!,
      cases: plan.cases,
      scorers: createScorers(settings.scorers, models[0]!),
      repeat: settings.repeat,
    });
    const options = { models, prompts: plan.prompts };
    const runs = listRuns(definition, options);
    const failed = new Set(
      extent === 'failed'
        ? [...(before?.results ?? [])].flatMap(([key, { status }]) => (status === 'passed' ? [] : [key]))
        : [],
    );
    const passed = new Map(
      extent === 'failed'
        ? runs.flatMap((run) => {
            const known = before?.results.get(runKey(run));
            return known === undefined || failed.has(runKey(run)) ? [] : [[runKey(run), known] as const];
          })
        : [],
    );
    const show = createDisplay(passed);
    useEvals.setState({
      evaluation: { settings, runs, results: passed, progress: undefined, shared: false },
    });
    await runEval(definition, {
      ...options,
      ...(extent === 'failed' ? { only: (_case, run) => failed.has(runKey(run)) } : {}),
      concurrency: settings.concurrency,
      signal: controller.signal,
      store: extent === 'changed' ? logs : writeOnly(logs),
      logs: plan.runs > MOST_LOGS ? 'failed' : 'all',
      ...(plan.prices === undefined ? {} : { prices: plan.prices }),
      onResult: (result, progress) => show.add(withoutKeys(result, secretsOf(keys)), progress),
    });
    show.flush();
  } catch (error) {
    toast.error(CuelineError.isInstance(error) ? error.message : `The evaluation ended: ${String(error)}`, {
      duration: 12_000,
    });
  } finally {
    under = undefined;
    usePlayground.setState({ evaluating: false });
  }
}

/** Stops the evaluation; what has ended stays. */
export function stopEval(): void {
  under?.abort();
}

/** A store that keeps new logs and answers with none. */
function writeOnly(store: EvalStore): EvalStore {
  return { get: () => Promise.resolve(undefined), set: (key, log) => store.set(key, log) };
}

type Display = { add(result: EvalResult, progress: EvalProgress): void; flush(): void };

/** Gathers results, and shows them a few times a second. */
function createDisplay(known: ReadonlyMap<string, EvalResult>): Display {
  const results = new Map(known);
  let progress: EvalProgress | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const { evaluation } = useEvals.getState();
    if (evaluation !== undefined)
      useEvals.setState({ evaluation: { ...evaluation, results: new Map(results), progress } });
  };
  return {
    add(result: EvalResult, next: EvalProgress) {
      results.set(runKey(result), result);
      progress = next;
      timer ??= setTimeout(flush, SHOW_EVERY_MS);
    },
    flush,
  };
}
