import { CuelineError } from '../../base/errors.ts';
import type { ToolCallState } from '../../log/state.ts';
import type { PromptTypes } from '../../base/prompt-types.ts';
import type { PromptDefinition } from '../../prompt/define-prompt.ts';
import { checkNames } from '../../base/check-names.ts';
import { quoted } from '../../base/part-error.ts';
import { createRun } from '../../run/create-run.ts';
import { inProcess } from '../../executors/in-process.ts';
import type { Run } from '../../run/run.ts';
import type { AgentInput, AgentTypes, CallOptions, CallResult } from './agent.ts';
import type { AgentConfig } from './agent-config.ts';
import { callError } from './call-error.ts';
import type { CallReport } from './call-report.ts';
import { checkAgent } from './check-agent.ts';
import { createDialog, isDialog, type Dialog } from './dialog.ts';
import { callWithin, prepareCall } from './prepare-call.ts';

const optionNames = ['dialog', 'signal', 'model', 'models', 'context', 'onRun'];

/** The result of a call, with the provider's metadata of the answer. */
export type AnsweredCall<Output, Call extends ToolCallState> = CallResult<Output, Call> &
  Pick<CallReport, 'providerMetadata'>;

/**
 * Makes one call of an agent. @throws CuelineError why there is no answer, with the state of the call as its details
 */
export async function answerCall<Output, Call extends ToolCallState>(
  config: AgentConfig,
  definition: PromptDefinition<AgentInput, AgentTypes<Output, Call>>,
  input: AgentInput,
  options: CallOptions = {},
): Promise<AnsweredCall<Output, Call>> {
  checkAgent(config);
  const { instructions } = config;
  let dialog = createDialog([], { instructions });
  let report: CallReport | undefined;
  let run: Run<void, AgentTypes<Output, Call>> | undefined;
  const onEnd = (given: CallReport): void => void (report = given);
  try {
    checkCall(config.name, options);
    const { context, model, models, signal } = options;
    ({ dialog = dialog } = options);
    if (context === undefined) {
      run = createRun(
        { ...definition, run: () => {}, policySetup: () => prepareCall(config, input, { dialog }, onEnd) },
        { model, executor: inProcess(models) },
      );
      await startWatched(run, signal, options.onRun);
    } else {
      await callWithin(context, config, input, { ...options, dialog }, onEnd);
    }
  } catch (error) {
    throw callError(error, report, after(dialog, report));
  }
  if (report?.done !== true) throw callError(brokenOff(config.name), report, after(dialog, report));
  const { value, calls, counters, providerMetadata } = report;
  return {
    // the value that its reader returned
    output: value as Output,
    dialog: after(dialog, report),
    calls,
    attempts: counters.failures + 1,
    providerMetadata,
    ...(run === undefined ? {} : { run }),
  };
}

/** Starts a run and passes it to `onRun`. If that throws, nothing will show the run, so it is stopped. */
async function startWatched<Types extends PromptTypes>(
  run: Run<void, Types>,
  signal: AbortSignal | undefined,
  onRun: CallOptions['onRun'],
): Promise<void> {
  const ended = run.start(undefined, { signal });
  try {
    onRun?.(run);
  } catch (error) {
    run.stop();
    throw error;
  }
  await ended;
}

/** Does the same, without the metadata that only the classifiers need. */
export async function callAgent<Output, Call extends ToolCallState>(
  config: AgentConfig,
  definition: PromptDefinition<AgentInput, AgentTypes<Output, Call>>,
  input: AgentInput,
  options?: CallOptions,
): Promise<CallResult<Output, Call>> {
  const { providerMetadata: _, ...result } = await answerCall(config, definition, input, options);
  return result;
}

/** Returns the dialog of a call, continued with what stays of it. */
function after(dialog: Dialog, report: CallReport | undefined): Dialog {
  return report === undefined ? dialog : dialog.append(report.messages.slice(dialog.messages.length));
}

function checkCall(name: string, options: CallOptions): void {
  checkNames(`A call of agent "${name}"`, options, optionNames, 'invalid_options');
  const { dialog } = options;
  if (dialog === undefined || isDialog(dialog)) return;
  throw new CuelineError(
    'invalid_options',
    `The dialog of a call of agent "${name}" is ${quoted(dialog)}. Make one with createDialog() or dialogFromJSON(json).`,
  );
}

function brokenOff(name: string): CuelineError {
  return new CuelineError(
    'stream_truncated',
    `The call of agent "${name}" broke off without an end. Try again.`,
  );
}
