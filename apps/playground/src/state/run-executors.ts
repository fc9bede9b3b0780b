import { inProcess, type Executor, type RunEvent } from '@cueline/core';
import { checkConnection, secretsOf } from '../model/connection.ts';
import { continueAnswers } from '../model/played-answers.ts';
import { redactEvents } from '../model/redact-events.ts';
import { CONSOLE_LINES } from '../sandbox/limits.ts';
import { showInputIssues } from './script-input.ts';
import { addDefinition } from './script-lines.ts';
import { loadedScriptRunner, loadScriptRunner } from './script-runner.ts';
import { usePlayground, type Problem } from './store.ts';

/** Runs one script in the sandbox, with the current model. */
export function sandboxExecutor(script: string): Executor {
  let started: Executor | undefined;
  return {
    continuesAgents: true,
    async *start(request, signal) {
      const { connection, keys, session } = usePlayground.getState();
      // A stopped or replaced run may still send events.
      const isCurrent = (): boolean => usePlayground.getState().session === session;
      checkConnection(connection, keys);
      // not awaited once it has loaded: the worker gets the script before the page draws the run
      const { sandbox, createModel, scriptedAnswersFor } = loadedScriptRunner() ?? (await loadScriptRunner());
      const scriptedAnswers = connection.kind === 'demo' ? scriptedAnswersFor(script) : undefined;
      const begins = request.messages === undefined || request.messages.length === 0;
      // An example's scripted answers end with its first run; the rule-based demo answers replies.
      // the log has the steps of the turn that are kept
      const kept = session?.run.log() ?? [];
      const play =
        scriptedAnswers &&
        (begins ? { scriptedAnswers, played: [] } : continueAnswers(scriptedAnswers, kept));
      const executor = (started = sandbox.executor(script, {
        getModel: () => createModel({ connection, keys }, play),
        onProblem: ({ phase, ...problem }) => {
          if (isCurrent()) showProblem({ ...problem, ended: phase === 'compile' }, script);
        },
        onDefinition: (definition) => session && addDefinition(session.id, definition),
        onConsole(level, text) {
          if (!isCurrent()) return;
          usePlayground.setState(({ console: lines }) => ({
            console: [...lines, { level, text }].slice(0, CONSOLE_LINES),
          }));
        },
      }));
      yield* executor.start(request, signal);
    },
    send: (runId, command) =>
      started?.send?.(runId, command) ?? { accepted: false, reason: 'The run is not in progress.' },
  };
}

/**
 * Runs a prompt without code in this page, with the current model. Its events have no keys. Its calls are checked like
 * those of a script, because its conversation may come from a link.
 */
export function promptExecutor(): Executor {
  let started: Executor | undefined;
  return {
    continuesAgents: true,
    async *start(request, signal) {
      const { connection, keys } = usePlayground.getState();
      checkConnection(connection, keys);
      const [{ createPromptModel }, { withCheckedCalls }] = await Promise.all([
        import('../model/prompt-model.ts'),
        import('../sandbox/host/checked-model.ts'),
      ]);
      const model = withCheckedCalls(await createPromptModel({ connection, keys }));
      const executor = (started = inProcess());
      yield* redactEvents(executor.start({ ...request, model }, signal), secretsOf(keys));
    },
    send: (runId, command) =>
      started?.send?.(runId, command) ?? { accepted: false, reason: 'The run is not in progress.' },
  };
}

/** Marks the line at which a run failed, or the fields of an input that does not fit. */
export function showEnding(event: RunEvent, script: string): void {
  if (event.type !== 'run-end' || event.error === undefined) return;
  const { code, message, details } = event.error;
  if (code === 'invalid_input')
    void import('../sandbox/index.ts').then((it) => showInputIssues(it.readIssues(details)));
  if (typeof details?.['line'] !== 'number') return;
  const column = typeof details['column'] === 'number' ? { column: details['column'] } : {};
  showProblem({ message, line: details['line'], ...column, ended: true }, script);
}

/** Shows where a script failed, unless it was edited or replaced in the editor. */
function showProblem(problem: Problem, script: string): void {
  if (usePlayground.getState().script === script) usePlayground.setState({ problem });
}
