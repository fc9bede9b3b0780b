import type { RequestTool, RunEvent, StepState } from '@cueline/core';
import { createTaskTracker } from '../task-during.ts';

/** The steps of a task, and the tools that only its steps have. */
export type TaskSteps = { steps: readonly StepState[]; tools: readonly RequestTool[] };

/**
 * The steps in which the run, or the agent of this path, worked on each task, by the task's id. `tools` is
 * empty as long as all steps are of one task, because it is then unknown which tools are its own.
 */
export function stepsOfTasks(
  log: readonly RunEvent[],
  path: string | undefined,
  steps: readonly StepState[],
  until: number,
): ReadonlyMap<string, TaskSteps> {
  const taskOfStep = new Map<StepState, string | undefined>();
  const tracker = createTaskTracker();
  const byNumber = new Map(steps.map((step) => [step.step, step]));
  for (const event of log) {
    if (event.seq > until) break;
    if (event.agent !== path) continue;
    tracker.apply(event);
    if (event.type !== 'step-start') continue;
    const step = byNumber.get(event.step);
    if (step !== undefined) taskOfStep.set(step, tracker.current()?.id);
  }
  const tasks = new Map<string, StepState[]>();
  for (const [step, id] of taskOfStep) {
    if (id !== undefined) tasks.set(id, [...(tasks.get(id) ?? []), step]);
  }
  return new Map(
    [...tasks].map(([id, own]) => {
      const others = steps.filter((step) => taskOfStep.get(step) !== id);
      return [id, { steps: own, tools: others.length === 0 ? [] : toolsOnlyIn(own, others) }];
    }),
  );
}

function toolsOnlyIn(own: readonly StepState[], others: readonly StepState[]): RequestTool[] {
  const elsewhere = new Set(toolsOf(others).keys());
  return [...toolsOf(own)].flatMap(([key, tool]) => (elsewhere.has(key) ? [] : [tool]));
}

/** Two tools with one name may differ, as those of two tasks do. Steps share unchanged lists. */
function toolsOf(steps: readonly StepState[]): Map<string, RequestTool> {
  const tools = new Map<string, RequestTool>();
  let last: readonly RequestTool[] | undefined;
  for (const { request } of steps) {
    if (request.tools === last) continue;
    last = request.tools;
    for (const tool of last) tools.set(JSON.stringify(tool), tool);
  }
  return tools;
}
