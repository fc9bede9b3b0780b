import { definePrompt, type PromptDefinition, type RetryOptions, type RunEvent } from '@cueline/core';
import type { Replay } from '@cueline/core/replay';
import { createRunRegistry, type SharedRun } from '@cueline/react';
import { connectionLabel, demoLabel, modelLabelOf } from '../model/connection.ts';
import { nextTask } from '../sandbox/time-slices.ts';
import { messageParts, type Attachment } from './attachments.ts';
import { useInspection } from './inspection.ts';
import { newId } from './new-id.ts';
import { usePreview } from './preview.ts';
import { markReplySent, viewOf } from './reply-draft.ts';
import { createRunClock } from './run-clock.ts';
import { promptExecutor, sandboxExecutor, showEnding } from './run-executors.ts';
import { mayTakeInput, takeScriptInput, useScriptInput } from './script-input.ts';
import {
  currentSession,
  isForeign,
  usePlayground,
  type PlaygroundState,
  type RunSession,
  type RunSource,
} from './store.ts';

/** The run that is shown, and a link's run that is about to be. */
const runs = createRunRegistry();
const scriptPrompt = definePrompt('script', () => {});

/**
 * Runs the script in the editor with the current model and what its form has as input; stops a run that is in progress.
 * If the form is incomplete, it is shown instead. If it is still being loaded, the run starts once it is there.
 */
export function startRun(): void {
  endWait?.();
  const { script, openScript, session: last } = usePlayground.getState();
  if (isFormLoading()) {
    usePlayground.setState({ tab: 'run' });
    return startWhenChecked();
  }
  const taken = takeScriptInput(script);
  if (taken === undefined) {
    usePlayground.setState({ tab: 'run' });
    return;
  }
  if (last !== undefined) runs.remove(last.run.id);
  const id = newId();
  const run = openScriptRun(id, script);
  begin({ id, run, source: { script }, openScript, earlier: [], input: taken.input });
  // the prompt in the sandbox takes the input; this placeholder declares none
  (run as unknown as { start(input: unknown): Promise<unknown> }).start(taken.input).catch(ignore);
}

/** True while the page finds out what the script in the editor takes as input. */
function isFormLoading(): boolean {
  const page = usePlayground.getState();
  const { report } = useScriptInput.getState();
  return (
    report === undefined && usePreview.getState().checking && mayTakeInput(page.script) && !isForeign(page)
  );
}

/** Ends the wait of a start for the form of its script. */
let endWait: (() => void) | undefined;

/**
 * Starts the run once the script in the editor has been checked, unless the user opens another script or another part
 * first.
 */
function startWhenChecked(): void {
  const stops = [
    usePreview.subscribe(() => !isFormLoading() && startRun()),
    usePlayground.subscribe(
      (now, before) => (now.script !== before.script || now.view !== before.view) && endWait?.(),
    ),
  ];
  endWait = () => {
    endWait = undefined;
    for (const stop of stops) stop();
  };
}

/** A run of this script that has not started. `log` has its events so far. */
function openScriptRun(id: string, script: string, log: readonly RunEvent[] = []): SharedRun {
  const run = runs.open(id, scriptPrompt, { executor: sandboxExecutor(script), log });
  run.listen((event) => usePlayground.getState().session?.run === run && showEnding(event, script));
  return run;
}

/** A session that continues the log of another one. */
export type Fork = Pick<RunSession, 'source' | 'openScript' | 'earlier' | 'parent'> & {
  log: readonly RunEvent[];
  /** How the run continues; undefined if nothing runs before the user replies. */
  retry: RetryOptions | undefined;
};

/** Shows a session that continues the log of `origin`; stops the run that is shown. The origin stays as it is. */
export function startFork(origin: RunSession, fork: Fork): void {
  const { source, openScript, earlier, parent, log, retry } = fork;
  usePlayground.getState()[slotOf(source)]?.run.stop();
  const id = newId();
  const run =
    'script' in source
      ? openScriptRun(id, source.script, log)
      : // a prompt of the library is its definition, whatever its input is
        runs.open(id, origin.run.definition, { executor: promptExecutor(), log });
  const kept = retry?.from === 0 ? 0 : (log.at(-1)?.t ?? 0);
  const session = { id, run, source, openScript, earlier, parent };
  if (retry === undefined) {
    // its log is that of the model that ran
    const state = run.getState();
    begin(session, kept, { model: modelLabelOf(state, origin.model), simulated: state.simulated });
  } else {
    begin(session, kept);
    run.retry(retry).catch(ignore);
  }
}

/** Shows a session of this page again. A run that is in progress continues in the background. */
export function showSession(session: RunSession): void {
  show(session, {});
}

/** Shows a session, and changes the page otherwise as `more` says. */
function show(session: RunSession, more: Partial<PlaygroundState>): void {
  useInspection.getState().reset();
  usePlayground.setState({
    [slotOf(session.source)]: session,
    ...('script' in session.source ? { problem: undefined, console: [] } : {}),
    ...more,
  });
}

/** Runs a prompt of the library with the current model. A link to the run has `prompts`. */
export function startPromptRun<Input>(
  definition: PromptDefinition<Input>,
  input: Input,
  prompts: unknown,
): void {
  const last = usePlayground.getState().promptSession;
  if (last !== undefined) runs.remove(last.run.id);
  const id = newId();
  const run = runs.open(id, definition, { executor: promptExecutor() });
  // the view observes and answers it; only this start passes input
  begin({ id, run: run as unknown as SharedRun, source: { prompts }, earlier: [], input });
  run.start(input).catch(ignore);
}

/** Continues the conversation of the last run, with its script, its input and its messages. */
export function reply(text: string, files: readonly Attachment[] = []): void {
  const session = currentSession(usePlayground.getState());
  if (session === undefined) return;
  const { id, run, source, openScript, earlier, parent } = session;
  markReplySent(viewOf(source), text, { id, turn: earlier.length + 1 });
  const turns = [...earlier, { log: run.log(), state: run.getState() }];
  begin({ id, run, source, openScript, parent, earlier: turns });
  run.send(files.length === 0 ? text : { parts: messageParts(text, files) }).catch(ignore);
}

/**
 * An earlier run with its state, from a checked log. `definition` is its prompt, if it is a run of a library prompt.
 */
export function openLinkedRun<Input>(
  log: readonly RunEvent[],
  definition?: PromptDefinition<Input>,
): SharedRun {
  const id = newId();
  const run = (definition === undefined
    ? runs.open(id, scriptPrompt, { log })
    : runs.open(id, definition, { log })) as unknown as SharedRun;
  run.getState();
  return run;
}

/** True if this page has the script or the prompt of a session, so that it can run again. */
export function canRunAgain({ source, run }: RunSession): boolean {
  return 'script' in source || run.definition !== scriptPrompt;
}

/**
 * Shows an earlier run, which has no reply. `link` is the hash of the address that opened it, if it has one; `ofEval`:
 * it is a run of an eval of this page.
 */
export function showLinkedRun(
  source: RunSource,
  run: SharedRun,
  { link, ofEval }: Pick<RunSession, 'link' | 'ofEval'> = {},
): void {
  const last = usePlayground.getState()[slotOf(source)];
  // a recording plays on, because Back may show it again
  if (last !== undefined && last.recorded !== true) runs.remove(last.run.id);
  const { model, simulated, elapsed } = run.getState();
  const { script, openScript } = usePlayground.getState();
  const session: RunSession = {
    id: newId(),
    run,
    source,
    ...('script' in source && source.script === script ? { openScript } : {}),
    shared: true,
    link,
    ofEval,
    model: simulated
      ? demoLabel
      : {
          name: model.slice(model.indexOf(':') + 1) || 'No model',
          detail: ofEval === true ? 'run of an eval' : 'shared run',
        },
    simulated,
    clock: createRunClock(run, { elapsed }),
    earlier: [],
  };
  show(session, { tab: 'run', view: viewOf(source) });
}

/** Shows a recording of a run of this script while it is replayed. */
export function showRecording(script: string, recording: Replay): void {
  const run = runs.open(newId(), scriptPrompt, { executor: recording });
  const { openScript } = usePlayground.getState();
  const session: RunSession = {
    id: newId(),
    run,
    source: { script },
    openScript,
    shared: true,
    recorded: true,
    model: demoLabel,
    simulated: true,
    clock: createRunClock(run, { isPlaying: () => recording.playing }),
    earlier: [],
  };
  show(session, { tab: 'run' });
  run.start().catch(ignore);
}

/** An earlier run of this browser, whose log has been checked. It can be replied to and continued. */
export async function runOfLog<Input>(
  log: readonly RunEvent[],
  of: { script: string } | { definition: PromptDefinition<Input> },
): Promise<SharedRun> {
  const run =
    'script' in of
      ? openScriptRun(newId(), of.script, log)
      : (runs.open(newId(), of.definition, { log, executor: promptExecutor() }) as unknown as SharedRun);
  await run.restored;
  // reducing a long log and drawing it in one task would block a slow page for too long
  await nextTask();
  return run;
}

/**
 * Continues an interrupted run after its last complete step, or inside the step after it if a call had started there.
 */
export function continueRun(): void {
  const session = currentSession(usePlayground.getState());
  if (session === undefined || session.shared) return;
  begin(session, session.run.log().at(-1)?.t);
  session.run.retry().catch(ignore);
}

export function closeRun(): void {
  const session = currentSession(usePlayground.getState());
  if (session !== undefined) usePlayground.setState({ [slotOf(session.source)]: undefined });
}

/** Stops the run that is in progress, if there is one. */
export function stopRun(): void {
  endWait?.();
  currentSession(usePlayground.getState())?.run.stop();
}

/** The member of the store that holds the runs of a source. */
function slotOf(source: RunSource): 'session' | 'promptSession' {
  return 'script' in source ? 'session' : 'promptSession';
}

/**
 * `elapsed` is the time of the log that the session continues, in milliseconds. `ran` is the model of a session in
 * which nothing runs before the user replies; default: that of the present connection.
 */
function begin(
  session: Pick<RunSession, 'id' | 'run' | 'source' | 'openScript' | 'earlier' | 'parent' | 'input'>,
  elapsed = 0,
  ran?: Pick<RunSession, 'model' | 'simulated'>,
): void {
  const { connection } = usePlayground.getState();
  const started: RunSession = {
    ...session,
    shared: false,
    model: connectionLabel(connection),
    simulated: connection.kind === 'demo',
    ...ran,
    clock: createRunClock(session.run, { elapsed }),
  };
  usePreview.setState({ open: false });
  show(started, { tab: 'run', visited: true });
}

/** The run's state says how it ended; the promise adds nothing. */
function ignore(): void {}
