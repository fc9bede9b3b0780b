import type { FinishReason, StepResult, ToolSet } from 'ai';
import { redact } from '../../json/redact.ts';
import type { UserContext } from '../../prompt/prompt-options.ts';
import type { OutputReader } from './read-output.ts';
import type { CallEvent } from './transitions.ts';

/** Finish reasons that truncate an answer, and their causes. */
const truncatingFinishReasons: Partial<Record<FinishReason, string>> = {
  length: 'the limit of tokens',
};

/** One answer of the model, with the results of its calls. */
export type CallStep = StepResult<ToolSet, UserContext>;

/** What an answer means for its call: an event, and either a value or the fault. */
export type Answer = { event: CallEvent; value?: unknown; fault?: string; cause?: unknown };

/**
 * Reads an answer. `refused` are tools that it called although it must not call any; `secrets` are removed from
 * errors.
 */
export async function readAnswer(
  step: CallStep,
  {
    reader,
    refused,
    secrets,
  }: { reader: OutputReader; refused: ReadonlySet<string>; secrets: readonly string[] },
): Promise<Answer> {
  if (refused.size > 0) {
    return {
      event: 'called',
      fault: `it calls ${[...refused].join(', ')}, and no tool can be called any more.`,
    };
  }
  const calls = step.toolCalls.filter(({ providerExecuted }) => providerExecuted !== true);
  if (calls.length > 0) return { event: isAnswered(step, calls) ? 'called' : 'waiting' };
  if (step.text.trim() === '') return { event: 'silent', fault: 'it is empty.' };
  const limit = truncatingFinishReasons[step.finishReason];
  // an object or tags show by themselves whether they are complete
  if (limit !== undefined && reader.format === undefined && reader.systemLine === undefined) {
    return { event: 'unreadable', fault: `it was cut off by ${limit}. Answer in fewer words.` };
  }
  try {
    return { event: 'answered', value: await reader.parse(step.text) };
  } catch (thrown) {
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    return { event: 'unreadable', fault: redact(message, secrets), cause: thrown };
  }
}

/** False if a call has no result: its tool has no function here, or waits for an approval. */
function isAnswered(step: CallStep, calls: readonly { toolCallId: string }[]): boolean {
  const answered = new Set(
    step.content.flatMap((part) =>
      part.type === 'tool-result' || part.type === 'tool-error' ? [part.toolCallId] : [],
    ),
  );
  return calls.every(({ toolCallId }) => answered.has(toolCallId));
}
