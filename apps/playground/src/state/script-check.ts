import type { CheckProblem, ScriptCheck } from '../sandbox/index.ts';
import { usePreview } from './preview.ts';
import {
  mayTakeInput,
  readScriptInput,
  showScriptReport,
  showInputIssues,
  useScriptInput,
} from './script-input.ts';
import { loadScriptRunner } from './script-runner.ts';
import { isForeign, usePlayground, type Problem } from './store.ts';

/** How long after the last change a script is checked, in milliseconds. */
const DELAY_MS = 400;

/** The next check, with a key that is the same for the same check. */
type PlannedCheck = { key: string; script: string; dryRun?: { input?: unknown } };

/**
 * Checks the script in the editor shortly after the last change: what its prompt takes as input and, while
 * the preview is open, its first request. The latest text wins, and at most one worker runs. Returns a
 * function that ends the checks.
 */
export function watchScript(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: AbortController | undefined;
  let checkedKey = '';

  const schedule = (delay: number): void => {
    const { script, view } = usePlayground.getState();
    if (view === 'script' && !mayTakeInput(script)) showScriptReport(undefined);
    const next = nextCheck();
    if (next?.key === checkedKey) return;
    clearTimeout(timer);
    running?.abort();
    checkedKey = next?.key ?? '';
    usePreview.setState({ checking: next !== undefined });
    if (next !== undefined) timer = setTimeout(() => void ask(next), delay);
  };
  const ask = async ({ script, dryRun }: PlannedCheck): Promise<void> => {
    const controller = (running = new AbortController());
    const { signal } = controller;
    const options = { signal, ...(dryRun !== undefined && { dryRun }) };
    const { report, preview, problem }: ScriptCheck = await loadScriptRunner().then(
      ({ sandbox }) => sandbox.check(script, options),
      // if the sandbox's code does not load, the next run reports that
      (): ScriptCheck => ({}),
    );
    if (signal.aborted || usePlayground.getState().script !== script) return;
    if (report !== undefined) showScriptReport(report);
    usePreview.setState({
      checking: false,
      needsInput: usePreview.getState().open && readScriptInput() === undefined,
      ...(preview === undefined ? {} : { last: { ...preview, script } }),
      problem,
    });
    if (dryRun !== undefined) showInputIssues(problem?.issues ?? []);
    if (usePreview.getState().open) markProblem(problem);
    // the new form may restore the input of an earlier run
    schedule(0);
  };

  const onChange = (): void => schedule(DELAY_MS);
  const stops = [
    usePlayground.subscribe((now, before) => {
      // another script has its own input
      if (now.openScript.id !== before.openScript.id && now.script !== before.script)
        showScriptReport(undefined);
      if (now.script !== before.script || now.view !== before.view || now.session !== before.session)
        onChange();
    }),
    useScriptInput.subscribe((now, before) => now.draft !== before.draft && onChange()),
    usePreview.subscribe((now, before) => now.open !== before.open && schedule(0)),
  ];
  schedule(0);
  return () => {
    clearTimeout(timer);
    running?.abort();
    for (const stop of stops) stop();
  };
}

function nextCheck(): PlannedCheck | undefined {
  const page = usePlayground.getState();
  if (page.view !== 'script') return undefined;
  const { script } = page;
  if (!usePreview.getState().open) {
    return mayTakeInput(script) && !isForeign(page) ? { key: `report ${script}`, script } : undefined;
  }
  const taken = readScriptInput();
  if (taken === undefined) return { key: `incomplete ${script}`, script };
  return { key: `request ${JSON.stringify(taken.input) ?? ''} ${script}`, script, dryRun: taken };
}

let marked: Problem | undefined;

/** Marks the line of an error, as a run does, until there is none. */
function markProblem(problem: CheckProblem | undefined): void {
  const { problem: shown } = usePlayground.getState();
  if (problem?.line === undefined) {
    if (shown !== undefined && shown === marked) usePlayground.setState({ problem: undefined });
    return;
  }
  const { message, line, column } = problem;
  marked = { message, line, ...(column !== undefined && { column }), ended: true };
  usePlayground.setState({ problem: marked });
}
