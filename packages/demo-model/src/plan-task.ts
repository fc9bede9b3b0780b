import { argumentsFromSchema } from './arguments-from-schema.ts';
import { writeIntroduction, writeTaskResult } from './demo-answer.ts';
import { improveResult, readFeedback } from './feedback.ts';
import { isDone, toolsForTask } from './task-work.ts';
import { announce, type Plan, type PlanContext } from './tool-calls.ts';

// One fewer than a task list allows by default, so that the model reports what is missing before the list fails.
const mostAttempts = 4;

/** The next step of a task list: begin the task, use the other tools, finish it, and follow the feedback. */
export function planTask(context: PlanContext): Plan | undefined {
  const { prompt, hints, tools } = context;
  const { outcomes, allOutcomes, task, window } = prompt;
  if (isDone(prompt)) return undefined;
  const finish = tools.find(({ name }) => name === 'finishTask');
  if (finish === undefined) return undefined;
  const start = tools.find(({ name }) => name === 'startTask');
  const opening = allOutcomes.length === 0 && prompt.isFirst;
  if (start !== undefined && outcomes.length === 0) {
    const begin = `I begin with: ${task ?? 'the next task'}.`;
    return {
      text: opening ? writeIntroduction(prompt, []) : begin,
      calls: [{ name: 'startTask', input: argumentsFromSchema(start.inputSchema, hints) }],
    };
  }
  const open = toolsForTask(
    context,
    tools.filter(({ name }) => name !== 'finishTask' && name !== 'startTask'),
  );
  if (open.length > 0) return announce(context, open);

  const attempts = outcomes.filter(({ toolName }) => toolName === 'finishTask');
  if (attempts.length >= mostAttempts) return giveUp(attempts.at(-1)?.value);
  const feedback = readFeedback(attempts.at(-1)?.value);
  // A reply that is neither approval nor feedback: unless the list says otherwise, finishing again is useless.
  const refused = attempts.length > 0 && feedback === undefined && attempts.at(-1)?.state === 'done';
  if (refused && window === undefined) return undefined;
  const first = writeTaskResult(prompt);
  const result = feedback === undefined ? first : improveResult(first, feedback, attempts.length);
  return {
    text:
      feedback === undefined
        ? opening
          ? writeIntroduction(prompt, ['finishTask'])
          : 'That is what I need to finish this task.'
        : `That was not accepted: ${feedback} I try again.`,
    calls: [
      { name: 'finishTask', input: withResult(argumentsFromSchema(finish.inputSchema, hints), result) },
    ],
  };
}

/** The arguments with the result filled in, if the schema takes a text for it. */
function withResult(input: unknown, result: string): unknown {
  if (typeof input !== 'object' || input === null) return input;
  const { result: made } = input as { result?: unknown };
  return made === undefined || typeof made === 'string' ? { ...input, result } : input;
}

function giveUp(reply: unknown): Plan {
  const reason = readFeedback(reply) ?? 'the result was refused';
  return {
    text: `I could not finish this task in ${mostAttempts} attempts. What is still missing: ${reason}`,
    calls: [],
  };
}
