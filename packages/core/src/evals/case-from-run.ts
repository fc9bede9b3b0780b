import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import type { RunEvent } from '../log/events.ts';
import { reduceAll } from '../log/reduce.ts';
import { checkIsLog } from '../wire/check-is-log.ts';
import { toEvalOutput } from './eval-output.ts';
import type { EvalCase } from './scorer.ts';

/**
 * Returns a case with the input of a recorded run. Its `expect` is the run's answer, the object of a prompt with an
 * output schema, unless `settings` has another one.
 * @throws CuelineError `invalid_options` for a log without the start of a run, or without an answer to expect
 *
 * @example cases: logs.map((log, index) => caseFromRun(log, { id: `run-${index}` }))
 */
export function caseFromRun<Input = never>(
  log: readonly RunEvent[],
  settings: Omit<EvalCase, 'input'> = {},
): EvalCase<Input> & { readonly id: string } {
  checkIsLog('caseFromRun', log);
  checkNames('caseFromRun', settings, ['id', 'expect', 'tags', 'mark'], 'invalid_options');
  const start = log.find((event) => event.type === 'run-start');
  if (start === undefined) {
    throw new CuelineError(
      'invalid_options',
      'caseFromRun takes the log of a whole run, which begins with run-start. Pass run.log().',
    );
  }
  // the log of a run of the eval's own prompt has input of its type, which each run checks
  const evalCase = { id: start.runId, input: start.input as Input, ...settings };
  if ('expect' in settings) return evalCase;
  const state = reduceAll(log);
  if (state.status !== 'done') {
    throw new CuelineError(
      'invalid_options',
      `The run ${start.runId} has no answer: its status is ${state.status}. Pass the expected answer: caseFromRun(log, { expect: '…' }).`,
    );
  }
  const { text, object } = toEvalOutput(state);
  return { ...evalCase, expect: object ?? text };
}
