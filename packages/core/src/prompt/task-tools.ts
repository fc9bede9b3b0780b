import { jsonSchema } from 'ai';
import { sourceOf, thrownText, withSource } from '../base/error-source.ts';
import { untilAborted } from '../base/until-aborted.ts';
import * as tasks from '../tasks/author-list.ts';
import * as dynamic from '../tasks/dynamic.ts';
import { functionTool } from '../tools/tool-definition.ts';
import type { ToolContext } from '../tools/tool-types.ts';
import type { TaskDefinition, TaskListDefinition } from './task-list.ts';

/** The tools with which the model works through a list that the author wrote. */
export function addStaticTools(list: TaskListDefinition): void {
  addTool(list, 'startTask', 'Begin the current task. Answers with what is to be done.', [], () =>
    list.apply(tasks.startTask(list.list)),
  );
  addTool(
    list,
    'finishTask',
    'Hand in the result of the current task. The result is checked; the answer says whether it was accepted, and which task is next.',
    ['result'],
    ({ result }, { abortSignal }) => finish(list, result, abortSignal),
  );
}

/** The tools with which the model keeps a list of its own. */
export function addDynamicTools(list: TaskListDefinition): void {
  addTool(
    list,
    'createTask',
    'Add a task to the list. Answers with its id.',
    ['description'],
    ({ description }) => list.apply(dynamic.createTask(list.list, description)),
  );
  addTool(
    list,
    'updateTask',
    'Change what a pending task says.',
    ['taskId', 'newDescription'],
    ({ taskId, newDescription }) => list.apply(dynamic.updateTask(list.list, taskId, newDescription)),
  );
  addTool(list, 'startTask', 'Begin a pending task.', ['taskId'], ({ taskId }) =>
    list.apply(dynamic.startTaskById(list.list, taskId)),
  );
  addTool(
    list,
    'completeTask',
    'Mark a task as completed, with its result.',
    ['taskId', 'result'],
    ({ taskId, result }) => list.apply(dynamic.completeTask(list.list, taskId, result)),
  );
  addTool(list, 'getTaskList', 'Read the list: every task with its state.', [], () =>
    dynamic.describeTasks(list.list),
  );
  addTool(list, 'deleteTask', 'Take a pending task off the list.', ['taskId'], ({ taskId }) =>
    list.apply(dynamic.deleteTask(list.list, taskId)),
  );
}

async function finish(
  list: TaskListDefinition,
  result: string,
  abortSignal: AbortSignal | undefined,
): Promise<string> {
  const decision = tasks.finishTask(list.list, result, list.requestTaskId);
  const reply = list.apply(decision);
  if (decision.validate === undefined) return reply;
  // a validation may never end, and the user may skip the task meanwhile
  const validated = Promise.race([
    validate(list.definitionOf(decision.validate), result),
    list.noLongerValidating(decision.validate).then((): ValidationResult => ({ feedback: undefined })),
  ]);
  const found = await untilAborted(validated, abortSignal).catch((): ValidationResult => ({
    feedback: 'The check of the result took too long, so it was ended.',
  }));
  return list.apply(tasks.settleTask(list.list, decision.validate, found.feedback, found.thrown));
}

/** The feedback on a result, undefined for a valid one; `thrown` if only the model may read it. */
type ValidationResult = { feedback: string | undefined; thrown?: true };

async function validate(definition: TaskDefinition | undefined, result: string): Promise<ValidationResult> {
  try {
    const feedback: unknown = await definition?.validation?.(result);
    // a long text is cut like that of an error
    if (typeof feedback === 'string') return { feedback: feedback === '' ? undefined : thrownText(feedback) };
    return { feedback: feedback === false ? 'The result is not right.' : undefined };
  } catch (error) {
    const isMeant = sourceOf(error, 'validation') === 'cueline';
    return { feedback: thrownText(error), ...(isMeant ? {} : { thrown: true }) };
  }
}

function addTool<Name extends string>(
  list: TaskListDefinition,
  name: string,
  description: string,
  fields: readonly Name[],
  run: (args: Record<Name, string>, context: ToolContext) => string | Promise<string>,
): void {
  const schema = jsonSchema<Record<Name, string>>(
    {
      type: 'object',
      properties: Object.fromEntries(fields.map((field) => [field, { type: 'string' }])),
      required: [...fields],
      additionalProperties: false,
    },
    { validate: (value) => readTexts(value, fields) },
  );
  // the list decides about repeated calls, and not the loop guard
  list.tools.set(name, functionTool(name, description, schema, run, { repeatable: true, effect: 'read' }));
}

/** Accepts numbers, because models pass them where a string is expected. */
function readTexts<Name extends string>(
  value: unknown,
  fields: readonly Name[],
): { success: true; value: Record<Name, string> } | { success: false; error: Error } {
  const record = (typeof value === 'object' && value !== null ? value : {}) as Record<string, unknown>;
  const missing = fields.find((field) => record[field] === undefined || record[field] === null);
  if (missing !== undefined) {
    return { success: false, error: withSource(new Error(`${missing} is missing.`), 'model') };
  }
  const texts = fields.map((field) => {
    const text = record[field];
    return [field, typeof text === 'string' ? text : JSON.stringify(text)] as const;
  });
  return { success: true, value: Object.fromEntries(texts) as Record<Name, string> };
}
