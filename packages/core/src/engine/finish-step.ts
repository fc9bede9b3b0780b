import { asSchema, type ModelMessage, type ToolModelMessage } from 'ai';
import { lastOutput } from '../tools/tool-callbacks.ts';
import type { Recorder } from './recorder.ts';
import type { ToolRegistry } from '../tool-calls/tool-registry.ts';
import type { UnfinishedCall } from '../log/unfinished-step.ts';

type ResultPart = Extract<ToolModelMessage['content'][number], { type: 'tool-result' }>;

/**
 * Makes the calls that the step before a retry has left open, and replaces their errors in `messages` by the results.
 * Only calls a tool whose definition says that it reads or is idempotent, whatever the log says: any other call is for
 * the model to make again.
 */
export async function finishStep(
  calls: readonly UnfinishedCall[],
  messages: readonly ModelMessage[],
  { recorder, registry, signal }: { recorder: Recorder; registry: ToolRegistry; signal: AbortSignal },
): Promise<void> {
  recorder.resumed(calls.map(({ toolCallId }) => toolCallId));
  const results = resultsOf(messages);
  await Promise.all(
    calls.map(async (call) => {
      const { toolCallId, toolName, idempotencyKey } = call;
      const tool = registry.retryableTool(toolName);
      const result = results.get(toolCallId);
      if (tool?.execute === undefined || result === undefined) return;
      const checked = await asSchema(tool.inputSchema).validate?.(call.input);
      if (checked?.success === false) return;
      const input = checked?.value ?? call.input;
      const facts = { toolCallId, toolName, input, dynamic: true } as const;
      try {
        const context = {
          toolCallId,
          messages: [...messages],
          abortSignal: signal,
          context: undefined,
          idempotencyKey,
        };
        const output: unknown = await lastOutput(tool.execute(input as never, context as never));
        recorder.part({ type: 'tool-result', ...facts, output });
        const modelOutput = await tool.toModelOutput?.({
          toolCallId,
          input: input as never,
          output: output as never,
        });
        if (modelOutput !== undefined) result.output = modelOutput;
      } catch (error) {
        signal.throwIfAborted();
        recorder.part({ type: 'tool-error', ...facts, error });
        result.output = { type: 'error-text', value: recorder.errorText(error) };
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
