import { asSchema, type ModelMessage, type ToolModelMessage, type ToolSet } from 'ai';
import { lastOutput } from '../tools/tool-callbacks.ts';
import type { Recorder } from './recorder.ts';
import type { ToolRegistry } from '../tool-calls/tool-registry.ts';
import { INTERRUPTED, NOT_MADE, type UnfinishedCall } from '../log/unfinished-step.ts';
import { toModelError } from '../tools/model-error.ts';

type ResultPart = Extract<ToolModelMessage['content'][number], { type: 'tool-result' }>;

/** How an open call is settled: its tool makes it, or the model reads the error. Neither: it stays as it is. */
type Settle = (call: UnfinishedCall) => { tool?: ToolSet[string] | undefined; error?: string };

type StepContext = { recorder: Recorder; registry: ToolRegistry; signal: AbortSignal };

/**
 * Makes the calls that the step before a retry has left open, and replaces their errors in `messages` by the results.
 * Only calls a tool that is known to read: the log may come from a link, and a call in it that changes something is for
 * the model to make again.
 */
export async function finishStep(
  calls: readonly UnfinishedCall[],
  messages: readonly ModelMessage[],
  context: StepContext,
): Promise<void> {
  await settleCalls(calls, messages, context, ({ toolName }) => ({
    tool: context.registry.readingTool(toolName),
  }));
}

/**
 * Does the same for a step that another process of the same run has left open. The log comes from the run's own store, so
 * every call that had not begun is made. Of the others, only those that may be made twice: the rest may have taken
 * effect, which the model reads.
 */
export async function finishOwnStep(
  calls: readonly UnfinishedCall[],
  messages: readonly ModelMessage[],
  context: StepContext,
): Promise<void> {
  await settleCalls(calls, messages, context, ({ toolName, hasBegun }) => {
    const { tool, mayRepeat } = context.registry.settlementOf(toolName);
    if (tool?.execute !== undefined && (hasBegun !== true || mayRepeat)) return { tool };
    return { error: hasBegun === true ? INTERRUPTED : NOT_MADE };
  });
}

async function settleCalls(
  calls: readonly UnfinishedCall[],
  messages: readonly ModelMessage[],
  { recorder, signal }: StepContext,
  settle: Settle,
): Promise<void> {
  recorder.resumed(calls.map(({ toolCallId }) => toolCallId));
  const results = resultsOf(messages);
  await Promise.all(
    calls.map(async (call) => {
      const { toolCallId, toolName, idempotencyKey } = call;
      const { tool, error } = settle(call);
      const result = results.get(toolCallId);
      if (result === undefined) return;
      const facts = { toolCallId, toolName, input: call.input, dynamic: true } as const;
      if (error !== undefined) {
        recorder.part({ type: 'tool-error', ...facts, error: toModelError(error) });
        result.output = { type: 'error-text', value: error };
        return;
      }
      if (tool?.execute === undefined) return;
      const checked = await asSchema(tool.inputSchema).validate?.(call.input);
      if (checked?.success === false) return;
      const input = checked?.value ?? call.input;
      try {
        const context = {
          toolCallId,
          messages: [...messages],
          abortSignal: signal,
          context: undefined,
          idempotencyKey,
        };
        const output: unknown = await lastOutput(tool.execute(input as never, context as never));
        recorder.part({ type: 'tool-result', ...facts, input, output });
        const told = await tool.toModelOutput?.({
          toolCallId,
          input: input as never,
          output: output as never,
        });
        if (told !== undefined) result.output = told;
      } catch (thrown) {
        signal.throwIfAborted();
        recorder.part({ type: 'tool-error', ...facts, input, error: thrown });
        result.output = { type: 'error-text', value: recorder.errorText(thrown) };
      }
    }),
  );
}

/** Returns the results that the model reads for the calls of the step before. */
function resultsOf(messages: readonly ModelMessage[]): Map<string, ResultPart> {
  const results = new Map<string, ResultPart>();
  for (const { role, content } of messages) {
    if (role !== 'tool') continue;
    for (const part of content) if (part.type === 'tool-result') results.set(part.toolCallId, part);
  }
  return results;
}
