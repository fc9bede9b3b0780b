import { argumentsFromSchema } from './arguments-from-schema.ts';
import { beginningOf } from './beginning-of.ts';
import { writeIntroduction, writeTaskResult } from './demo-answer.ts';
import { mostRead } from './hints.ts';
import type { TaskWindow } from './task-window.ts';
import { toolsForTask } from './task-work.ts';
import { announce, type Plan, type PlanContext } from './tool-calls.ts';

const mostTasks = 3;
const listTools = /^(createTask|updateTask|startTask|completeTask|getTaskList|deleteTask)$/;

/** The state of the list: from the window that the run sends, or from the results of the list's tools. */
type List = { isEmpty: boolean; current: ListTask | undefined; next: ListTask | undefined };
type ListTask = { id: string; title: string };

/** The next step of a list that the model keeps itself: write it, do the work, complete each task. */
export function planDynamicTasks(context: PlanContext): Plan | undefined {
  const { prompt, tools } = context;
  const { window } = prompt;
  const { isEmpty, current, next } = window === undefined ? listOf(context) : listIn(window);
  if (isEmpty) {
    return {
      text: writeIntroduction(prompt, ['createTask']),
      calls: splitIntoTasks(prompt.request).map((description) =>
        call(context, 'createTask', { description }),
      ),
    };
  }
  if (current === undefined) {
    if (next === undefined) return undefined;
    return {
      text: `Now ${next.id}.`,
      calls: [call(context, 'startTask', { taskId: next.id })],
    };
  }
  const open = toolsForTask(
    window === undefined ? { ...context, prompt: { ...prompt, outcomes: prompt.allOutcomes } } : context,
    tools.filter(({ name }) => !listTools.test(name)),
  );
  if (open.length > 0) return announce(context, open);
  const result = writeTaskResult({ ...prompt, task: current.title });
  return { text: '', calls: [call(context, 'completeTask', { taskId: current.id, result })] };
}

function listIn({ done, current, next: [next] }: TaskWindow): List {
  return {
    isEmpty: done.length === 0 && current === undefined && next === undefined,
    current: current?.id === undefined ? undefined : { id: current.id, title: current.title },
    next: next?.id === undefined ? undefined : { id: next.id, title: next.title },
  };
}

function listOf({ prompt: { allOutcomes, request }, tools }: PlanContext): List {
  const created = allOutcomes.filter(({ toolName }) => toolName === 'createTask');
  const ids = created.flatMap(({ value }) => idIn(value) ?? []);
  const handled = (name: string): Set<unknown> =>
    new Set(
      allOutcomes
        .filter(({ toolName }) => toolName === name)
        .map(({ input }) => (input as { taskId?: unknown })?.taskId),
    );
  const completed = handled('completeTask');
  const id = ids.find((one) => !completed.has(one));
  const task = id === undefined ? undefined : { id, title: `${id} of “${request}”` };
  const begun = handled('startTask').has(id) || !tools.some(({ name }) => name === 'startTask');
  return { isEmpty: created.length === 0, current: begun ? task : undefined, next: begun ? undefined : task };
}

function call(
  { tools, hints }: PlanContext,
  name: string,
  own: Record<string, unknown>,
): Plan['calls'][number] {
  const made = argumentsFromSchema(tools.find((tool) => tool.name === name)?.inputSchema, hints);
  return { name, input: typeof made === 'object' && made !== null ? { ...made, ...own } : own };
}

/** The id in the result of createTask, which is a sentence or an object. */
function idIn(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? '');
  return /\btask-\d+\b/.exec(text)?.[0] ?? /"(?:taskId|id)":"?([^",}]+)/.exec(text)?.[1];
}

/** A request as steps: its list items, or its sentences, or a beginning and an end. */
function splitIntoTasks(whole: string): string[] {
  const request = whole.slice(0, mostRead);
  const items = [...request.matchAll(/^\s*(?:[-*]|\d+[.)])\s+(\S.*)$/gm)].map(([, item = '']) => item.trim());
  if (items.length > 1) return items.slice(0, mostTasks);
  const sentences = request
    .split(/(?<=[.!?])\s+|,?\s+(?:and then|then)\s+/)
    .filter((text) => text.trim().length > 3);
  if (sentences.length > 1) return sentences.slice(0, mostTasks).map((text) => text.trim());
  const gist = beginningOf(request.replace(/\s+/g, ' '), 80) || 'the request';
  return [`Gather what is needed: ${gist}`, `Put it together: ${gist}`];
}
