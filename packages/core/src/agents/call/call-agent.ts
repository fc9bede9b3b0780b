import { anySignal } from '../../base/any-signal.ts';
import { checkNames } from '../../base/check-names.ts';
import { CuelineError } from '../../base/errors.ts';
import { quoteValue } from '../../base/quote-value.ts';
import type { LoopPolicySetup } from '../../engine/loop-policy.ts';
import { answerWithin } from '../../engine/run-agent.ts';
import { joinInstructions } from '../../engine/stream-options.ts';
import { inProcess } from '../../executors/in-process.ts';
import type { PromptTypes, ToolCallState } from '../../log/state.ts';
import { resolveMessages } from '../../messages/resolve-messages.ts';
import { toModelMessage } from '../../messages/to-model-message.ts';
import type { PromptDefinition } from '../../prompt/define-prompt.ts';
import { createRun } from '../../run/create-run.ts';
import type { Run } from '../../run/run.ts';
import { defaultLimits } from '../../tool-calls/limits.ts';
import { agentContextOf } from '../../tool-calls/run-context.ts';
import { splitTools } from '../../tools/named-tools.ts';
import type { ToolContext } from '../../tools/tool-types.ts';
import type { AgentConfig } from './agent-config.ts';
import type { AgentInput, AgentTypes, CallOptions, CallResult } from './agent.ts';
import { callError } from './call-error.ts';
import { CallPolicy, type CallReport } from './call-policy.ts';
import { callLimits, checkAgent } from './check-agent.ts';
import { createDialog, isDialog, type Dialog } from './dialog.ts';
import { createOutputReader } from './read-answer.ts';

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
  if (report?.done !== true) throw callError(unexpectedEndError(config.name), report, after(dialog, report));
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

/** Starts a run and passes it to `onRun`. If that throws or rejects, nothing will show the run, so it is stopped. */
async function startWatched<Types extends PromptTypes>(
  run: Run<void, Types>,
  signal: AbortSignal | undefined,
  onRun: CallOptions['onRun'],
): Promise<void> {
  const ended = run.start(undefined, { signal });
  const shown = (async () => onRun?.(run))();
  const result = Promise.race([shown.then(() => ended), ended]);
  shown.catch(() => run.stop());
  await result;
}

/** Calls an agent, without the metadata that only the classifiers need. */
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
    `The dialog of a call of agent "${name}" is ${quoteValue(dialog)}. Make one with createDialog() or dialogFromJSON(json).`,
  );
}

function unexpectedEndError(name: string): CuelineError {
  return new CuelineError('stream_truncated', `The call of agent "${name}" ended unexpectedly. Try again.`);
}

/** Returns what a call adds to its agent's prompt: instructions, dialog, input and the loop policy. */
export async function prepareCall(
  config: AgentConfig,
  input: AgentInput,
  { dialog }: Pick<CallOptions, 'dialog'>,
  onEnd?: (report: CallReport) => void,
): Promise<LoopPolicySetup> {
  checkAgent(config);
  const { name, instructions, tools, limits, options } = config;
  const reader = createOutputReader(name, config.output);
  const { maxExceptionRetries, maxInterrupts } = callLimits(config);
  const earlier = dialog?.toMessages() ?? [];
  const resolved = await resolveMessages([toModelMessage('user', input, earlier)]);
  const parts = [instructions, reader.systemLine].filter((part) => part !== undefined);
  return {
    options: {
      // above the default for a run, if the call's own limits allow more
      limits: {
        steps: Math.max(defaultLimits.steps, (maxInterrupts + 1) * (maxExceptionRetries + 1)),
        ...limits,
      },
      ...options,
      system: undefined,
      instructions: joinInstructions(parts.join('\n\n'), options?.system, options?.instructions),
      messages: [...earlier, ...resolved],
      ...(tools === undefined ? {} : { tools: splitTools(tools).ready }),
      ...(reader.format === undefined ? {} : { output: reader.format }),
    },
    structured: reader.format !== undefined,
    policy: (context) => new CallPolicy(context, config, reader, onEnd),
  };
}

/** Makes a call inside the run of a tool. @throws CuelineError why there is no answer */
async function callWithin(
  context: ToolContext,
  config: AgentConfig,
  input: AgentInput,
  { model = config.model, signal, dialog }: CallOptions,
  onEnd: (report: CallReport) => void,
): Promise<void> {
  const parent = agentContextOf(context);
  if (parent === undefined) {
    throw new CuelineError(
      'invalid_options',
      `The context of this call of agent "${config.name}" does not come from a running tool. Pass on the second argument of the tool's function unchanged, or leave it out.`,
    );
  }
  const policySetup = await prepareCall(config, input, { dialog }, onEnd);
  const { messages, tools, limits: _, approval: __, loopGuard: ___, ...options } = policySetup.options;
  await answerWithin(parent, {
    name: config.name,
    toolCallId: context.toolCallId,
    callBase: context.idempotencyKey,
    input,
    model,
    declared: config.tools === undefined ? undefined : splitTools(config.tools).own,
    messages,
    tools,
    options,
    policySetup,
    abortSignal: anySignal(context.abortSignal, signal),
  });
}
