import { CuelineError } from '@cueline/core';
import {
  defineEval,
  listRuns,
  memoryEvalStore,
  runEval,
  type EvalResult,
  type EvalStore,
} from '@cueline/core/evals';
import { checkConnection, secretsOf, type ConnectionSettings } from '../model/connection.ts';
import { createPromptModel } from '../model/prompt-model.ts';
import { withoutKeys } from '../model/redact-events.ts';
import { usePrompts } from '../prompts/store.ts';
import { usePlayground } from '../state/store.ts';
import { toast } from '../ui/toast.ts';
import { createScorers, type Grades } from './create-scorers.ts';
import { isChosen, planEval } from './plan-eval.ts';
import { runKey, useEvals, type Evaluation } from './store.ts';

/** How often the view shows new results, in milliseconds. */
const SHOW_EVERY_MS = 100;
/** From this many runs on, only failed runs keep their log. */
const MAX_LOGS = 500;

/** The logs and grades of this page's runs, so that an edited eval repeats only the runs that have changed. */
let logs: EvalStore = memoryEvalStore();
let grades: Grades = new Map();
let kept = 0;
/** The most logs that are kept; beyond that, all are dropped. */
const MAX_KEPT = 10_000;
/** Stops the current evaluation. */
let current: AbortController | undefined;

/**
 * The runs to repeat besides those that have not run yet. `changed`: none. `failed`: those that have not
 * passed. `all`: every run.
 */
export type Extent = 'changed' | 'failed' | 'all';

/** Runs the eval of the form. */
export async function startEval(extent: Extent = 'changed'): Promise<void> {
  if (current !== undefined) return;
  const { settings, evaluation: before } = useEvals.getState();
  const { connection, keys } = usePlayground.getState();
  const prompts = usePrompts.getState().entries.map(({ prompt }) => prompt);
  const plan = planEval(settings, prompts, connection);
  if ('problem' in plan) {
    toast.error(plan.problem);
    usePlayground.setState({ tab: 'editor' });
    return;
  }
  if ((kept += plan.runs) > MAX_KEPT) [logs, grades, kept] = [memoryEvalStore(), new Map(), plan.runs];
  const controller = (current = new AbortController());
  usePlayground.setState({ evaluating: true, tab: 'run' });
  let stopWatching = (): void => {};
  try {
    checkConnection(connection, keys);
    const models = await Promise.all(plan.models.map((id) => createPromptModel({ connection, keys }, id)));
    const evals = plan.evals.map(({ prompt, cases }) =>
      defineEval({
        prompt,
        cases,
        scorers: createScorers(settings.scorers, models[0]!, grades),
        repeat: settings.repeat,
      }),
    );
    const runs = evals.flatMap((each) => listRuns(each, { models }));
    const chosen = prompts.filter((prompt) => isChosen(settings, prompt));
    useEvals.setState({
      evaluation: { settings, prompts: chosen, runs, results: new Map(), shared: false },
    });
    stopWatching = useEvals.subscribe(({ evaluation }) => {
      if (evaluation?.runs === runs || controller.signal.aborted) return;
      // its results would be shown nowhere
      controller.abort();
      toast('The evaluation was stopped because another eval was opened. Run the eval again to complete it.');
    });
    const show = createDisplay(runs);
    const store = storeFor(extent, before, serverOf(connection));
    for (const each of evals) {
      if (controller.signal.aborted) break;
      await runEval(each, {
        models,
        concurrency: settings.concurrency,
        signal: controller.signal,
        store,
        logs: plan.runs > MAX_LOGS ? 'failed' : 'all',
        ...(plan.prices === undefined ? {} : { prices: plan.prices }),
        onResult: (result) => show.add(withoutKeys(result, secretsOf(keys))),
      });
    }
    show.flush();
  } catch (error) {
    toast.error(CuelineError.isInstance(error) ? error.message : `The evaluation failed: ${String(error)}`, {
      duration: 12_000,
    });
  } finally {
    stopWatching();
    current = undefined;
    usePlayground.setState({ evaluating: false });
  }
}

/** Stops the evaluation; the results so far stay. */
export function stopEval(): void {
  current?.abort();
}

/** The address of a connection, since servers have different models of the same name. */
function serverOf(connection: ConnectionSettings): string {
  return connection.kind === 'demo' ? '' : connection[connection.kind].baseUrl.trim();
}

/** A store with the logs of the runs on `server` that are not repeated. */
function storeFor(extent: Extent, before: Evaluation | undefined, server: string): EvalStore {
  const failed = new Set(
    [...(before?.results.values() ?? [])].flatMap(({ status, log }) =>
      status === 'passed' ? [] : [runIdOf(log)],
    ),
  );
  const isRepeated = (log: EvalResult['log']): boolean =>
    extent === 'all' || (extent === 'failed' && failed.has(runIdOf(log)));
  return {
    async get(key) {
      const log = await logs.get(`${key} ${server}`);
      return isRepeated(log) ? undefined : log;
    },
    set: (key, log) => logs.set(`${key} ${server}`, log),
  };
}

function runIdOf(log: EvalResult['log']): string | undefined {
  const [start] = log ?? [];
  return start?.type === 'run-start' ? start.runId : undefined;
}

type Display = { add(result: EvalResult): void; flush(): void };

/** Gathers results, and shows them a few times a second, as long as the evaluation of these runs is shown. */
function createDisplay(runs: Evaluation['runs']): Display {
  const results = new Map<string, EvalResult>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = (): void => {
    clearTimeout(timer);
    timer = undefined;
    const { evaluation } = useEvals.getState();
    if (evaluation?.runs === runs)
      useEvals.setState({ evaluation: { ...evaluation, results: new Map(results) } });
  };
  return {
    add(result) {
      results.set(runKey(result), result);
      timer ??= setTimeout(flush, SHOW_EVERY_MS);
    },
    flush,
  };
}
