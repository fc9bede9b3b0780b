import { asSchema, type ModelMessage, type ToolSet } from 'ai';
import { canonicalCall } from '../../json/canonical.ts';
import { parseJson } from '../../json/parse-json.ts';
import { INTERRUPTED, type CallSettlement } from '../../log/settle-open-calls.ts';
import { NOT_MADE, type UnfinishedCall } from '../../log/unfinished-step.ts';
import { toJson } from '../../messages/to-json.ts';
import { toolResultsOf } from '../../messages/ui-messages.ts';
import type { ToolApproval } from '../../tool-calls/tool-approval.ts';
import type { ToolRegistry } from '../../tool-calls/tool-registry.ts';
import { toModelError } from '../../tools/model-error.ts';
import { lastOutput } from '../../tools/tool-callbacks.ts';
import type { Recorder } from '../recording/recorder.ts';

/** How an open call is settled: its tool makes it, or the model reads the error. Neither: it stays as it is. */
type ToolOrError = { tool?: ToolSet[string] | undefined; error?: string };

/** A call that another process of the run has left open. */
export type OwnOpenCall = UnfinishedCall & CallSettlement;

type StepContext = {
  recorder: Recorder;
  registry: ToolRegistry;
  toolApproval: Pick<ToolApproval, 'review'>;
  signal: AbortSignal;
  /** Receives a call that is not made again, although something may have happened in it. */
  onFail(call: UnfinishedCall): void;
};

/**
 * Makes the calls that the step before a retry has left open, and replaces their errors in `messages` by the results.
 * Only calls a tool whose definition says that it reads or is idempotent, or that an agent answers, whatever the log
 * says: any other call is for the model to make again.
 */
export async function finishStep(
  calls: readonly UnfinishedCall[],
  messages: readonly ModelMessage[],
  context: StepContext,
): Promise<void> {
  await settleCalls(calls, messages, context, (call) =>
    call.agentEvents === undefined
      ? { tool: context.registry.retryableTool(call.toolName) }
      : continueAgent(call, context),
  );
}

/** Does the same for a step of an agent that continues in such a call. */
export async function finishAgentStep(
  calls: readonly OwnOpenCall[],
  messages: readonly ModelMessage[],
  context: StepContext,
): Promise<void> {
  const { registry, onFail } = context;
  await settleCalls(calls, messages, context, (call) => {
    if (registry.agentTool(call.toolName) !== undefined) return continueAgent(call, context);
    const tool = registry.retryableTool(call.toolName);
    if (tool !== undefined && call.how !== 'fail') return { tool };
    onFail(call);
    return { error: errorOf(call) };
  });
}

/** Lets the agent of a call continue. It may be missing in another version of the prompt. */
function continueAgent(call: UnfinishedCall, { registry, onFail }: StepContext): ToolOrError {
  const tool = registry.agentTool(call.toolName);
  if (tool !== undefined) return { tool };
  onFail(call);
  return { error: INTERRUPTED };
}

/**
 * Does the same for a step that another process of the same run has left open. The log comes from the run's own
 * store, so every call that had not started is made, unless it repeats one that may have taken effect. Of the others,
 * those that may be made twice by what the log says, and those that an agent or a page continues: the rest may have
 * taken effect, which the model reads.
 */
export async function finishOwnStep(
  calls: readonly OwnOpenCall[],
  messages: readonly ModelMessage[],
  context: StepContext,
): Promise<void> {
  const keyOf = ({ toolName, input }: OwnOpenCall): string => canonicalCall(toolName, input);
  const interrupted = new Map(
    calls.flatMap((call) => (call.how === 'fail' ? [[keyOf(call), call.error]] : [])),
  );
  await settleCalls(calls, messages, context, (call) => {
    const { tool, continues } = context.registry.openCallTool(call.toolName);
    const repeated = call.how === 'start' ? interrupted.get(keyOf(call)) : undefined;
    const isMade =
      (call.how === 'start' && repeated === undefined) || (call.how === 'repeat' && call.asAgent !== true);
    if (tool?.execute !== undefined && (isMade || continues)) return { tool };
    context.onFail(call);
    return { error: repeated ?? errorOf(call) };
  });
}

/** Returns what the model reads of a call that is not made. */
function errorOf(call: OwnOpenCall): string {
  if (call.how === 'start') return NOT_MADE;
  return call.how === 'fail' ? call.error : INTERRUPTED;
}

async function settleCalls<Call extends UnfinishedCall>(
  calls: readonly Call[],
  messages: readonly ModelMessage[],
  { recorder, toolApproval, signal, onFail }: StepContext,
  settle: (call: Call) => ToolOrError,
): Promise<void> {
  recorder.calls.resumed(calls.map(({ toolCallId }) => toolCallId));
  const results = toolResultsOf(messages);
  await Promise.all(
    calls.map(async (call) => {
      const { toolCallId, toolName, idempotencyKey } = call;
      const { tool, error } = settle(call);
      const result = results.get(toolCallId);
      if (result === undefined) return;
      const facts = { toolCallId, toolName, input: call.input, dynamic: true } as const;
      const refuse = (text: string): void => {
        recorder.part({ type: 'tool-error', ...facts, error: toModelError(text) });
        result.output = { type: 'error-text', value: text };
      };
      if (error !== undefined) return refuse(error);
      if (tool?.execute === undefined) return;
      const refuseCall = (text: string): void => {
        if (hasBegun(call)) onFail(call);
        refuse(text);
      };
      let input = call.input;
      try {
        const args = await argumentsOf(call, tool);
        // another version of the tool takes other arguments
        if (args === undefined) return refuseCall(hasBegun(call) ? INTERRUPTED : NOT_MADE);
        input = args.value;
        const context = {
          toolCallId,
          messages: [...messages],
          abortSignal: signal,
          context: undefined,
          idempotencyKey,
        };
        const refusal = await toolApproval.review({ toolCallId, toolName, input }, messages);
        if (refusal !== undefined) return refuseCall(refusal);
        const output: unknown = await lastOutput(tool.execute(input as never, context as never), signal);
        recorder.part({ type: 'tool-result', ...facts, input, output });
        const modelOutput = await tool.toModelOutput?.({
          toolCallId,
          input: input as never,
          output: output as never,
        });
        if (modelOutput !== undefined) result.output = modelOutput;
      } catch (thrown) {
        signal.throwIfAborted();
        recorder.part({ type: 'tool-error', ...facts, input, error: thrown });
        result.output = { type: 'error-text', value: recorder.calls.errorText(thrown) };
      }
    }),
  );
}

/**
 * Returns the arguments of a call as the tool's schema makes them; undefined if they are not those of the log. A
 * schema may change what it reads, so it reads what the model wrote: read once more, its own result would be changed
 * twice.
 */
async function argumentsOf(
  { input, inputText = '' }: UnfinishedCall,
  { inputSchema }: ToolSet[string],
): Promise<{ value: unknown } | undefined> {
  const schema = asSchema(inputSchema);
  if (schema.validate === undefined) return { value: input };
  // without the text, or if the arguments were repaired, a schema that changes nothing still reads the result
  for (const given of [parseJson(inputText), input]) {
    const read = await schema.validate(given);
    if (read.success && canonicalCall('', toJson(read.value)) === canonicalCall('', input)) return read;
  }
  return undefined;
}

/** True for a call that had started when its process ended, as far as its log says. */
function hasBegun(call: UnfinishedCall & Partial<CallSettlement>): boolean {
  return call.agentEvents !== undefined || call.how === 'repeat' || call.how === 'fail';
}
