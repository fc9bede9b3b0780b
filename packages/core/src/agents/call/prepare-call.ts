import { anySignal } from '../../base/any-signal.ts';
import { toModelMessage } from '../../messages/to-model-message.ts';
import { resolveMessages } from '../../messages/resolve-messages.ts';
import { splitTools } from '../../tools/tool-list.ts';
import type { ToolContext } from '../../tools/tool-definition.ts';
import type { LoopPolicySetup } from '../../engine/loop-policy.ts';
import { defaultLimits } from '../../tool-calls/limits.ts';
import { answerWithin } from '../../engine/run-agent.ts';
import { joinInstructions } from '../../engine/stream-options.ts';
import { agentContextOf } from '../../tool-calls/bind-agent-context.ts';
import { CuelineError } from '../../base/errors.ts';
import type { AgentInput, CallOptions } from './agent.ts';
import type { AgentConfig } from './agent-config.ts';
import type { CallReport } from './call-report.ts';
import { checkCallOptions } from './call-options.ts';
import { callLimits, checkAgent } from './check-agent.ts';
import { createCallPolicy } from './call-policy.ts';
import { createOutputReader } from './read-output.ts';

/** Returns what a call adds to its agent's prompt: instructions, dialog, input and the loop policy. */
export async function prepareCall(
  config: AgentConfig,
  input: AgentInput,
  { dialog }: Pick<CallOptions, 'dialog'>,
  onEnd?: (report: CallReport) => void,
): Promise<LoopPolicySetup> {
  checkAgent(config);
  const { name, instructions, tools, limits, options } = config;
  checkCallOptions(name, options);
  const reader = createOutputReader(name, config.output);
  const { maxExceptionRetries, maxInterrupts } = callLimits(config);
  const earlier = dialog?.toMessages() ?? [];
  const said = await resolveMessages([toModelMessage('user', input, earlier)]);
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
      messages: [...earlier, ...said],
      ...(tools === undefined ? {} : { tools: splitTools(tools).ready }),
      ...(reader.format === undefined ? {} : { output: reader.format }),
    },
    structured: reader.format !== undefined,
    policy: (stage) => createCallPolicy(config, reader, stage, onEnd),
  };
}

/** Makes a call inside the run of a tool. @throws CuelineError why there is no answer */
export async function callWithin(
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
      `The context of this call of agent "${config.name}" is not one that a running tool was given. Hand on the second argument of the tool's function as it is, or leave it out.`,
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
