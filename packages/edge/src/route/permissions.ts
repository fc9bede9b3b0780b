import type { TaskEdit, TaskItem } from '@cueline/core';
import { invalidOptionsError } from './invalid-options-error.ts';

/** The context of an edit. */
export type EditContext = {
  /** The task; undefined for `add`. An edit of an unknown task is refused. */
  task: TaskItem | undefined;
  /** The owner of the run. */
  subject: string;
  /** The prompt's name. */
  prompt: string;
};

/**
 * Which edits of a task list a client may make: a list of types, for every task, or a function that decides for each
 * edit. A function that throws, or takes longer than ten seconds, refuses.
 *
 * @example
 * edits: ['add', 'rename', 'skip']
 * edits: (edit, { task }) => task?.hasValidation !== true
 */
export type EditPermission =
  | readonly TaskEdit['type'][]
  | ((edit: TaskEdit, context: EditContext) => boolean | Promise<boolean>);

/** The context of an approval. */
export type ApprovalContext = {
  /** The tool of the call. */
  toolName: string;
  /** The owner of the run. */
  subject: string;
  /** The prompt's name. */
  prompt: string;
};

/**
 * The responses that a client may give to an approval: `'yes-no'`, or `'edit'` if it may also change the call's
 * arguments, which the tool's schema then checks again. A function decides for each call; one that throws, or takes
 * longer than ten seconds, means `'yes-no'`.
 */
export type ApprovalPermission =
  | 'yes-no'
  | 'edit'
  | ((request: ApprovalContext) => 'yes-no' | 'edit' | Promise<'yes-no' | 'edit'>);

/** The permissions of a route's clients. */
export type Permissions = {
  edits?: EditPermission | undefined;
  approvals?: ApprovalPermission | undefined;
};

const editTypes = ['add', 'rename', 'remove', 'move', 'skip', 'retry', 'resolve'] as const;

/** Checks the permissions of a route. @throws CuelineError `invalid_options` */
export function readPermissions({ edits, approvals }: Permissions): Permissions {
  if (edits !== undefined && typeof edits !== 'function') {
    const unknown = Array.isArray(edits)
      ? edits.find((type) => !(editTypes as readonly unknown[]).includes(type))
      : edits;
    if (unknown !== undefined) {
      throw invalidOptionsError(
        `edits has ${JSON.stringify(unknown)}. Give a list of ${editTypes.join(', ')}, or a function (edit, { task }) => boolean.`,
      );
    }
  }
  const isKnown = approvals === undefined || approvals === 'yes-no' || approvals === 'edit';
  if (!isKnown && typeof approvals !== 'function') {
    throw invalidOptionsError(
      `approvals is ${JSON.stringify(approvals)}. Give 'yes-no', 'edit', or a function ({ toolName }) => 'yes-no'.`,
    );
  }
  return { edits, approvals };
}

/** Returns whether a client may make this edit. */
export async function mayEdit(
  permission: EditPermission | undefined,
  edit: TaskEdit,
  context: EditContext,
): Promise<boolean> {
  if (permission === undefined) return allowUnlessAuthored(edit, context);
  if (typeof permission !== 'function') return permission.includes(edit.type);
  // JavaScript may return anything
  const allowed: unknown = await permission(edit, context);
  return allowed === true;
}

/** Returns whether a client may change the arguments of this call. */
export async function mayChangeArguments(
  permission: ApprovalPermission | undefined,
  context: ApprovalContext,
): Promise<boolean> {
  const allowed = typeof permission === 'function' ? await permission(context) : permission;
  return allowed === 'edit';
}

/**
 * The default: a client may change all tasks that the author has not written. The author's tasks keep their titles
 * and order, each may be retried, and those with a validation are completed only by it.
 */
function allowUnlessAuthored({ type }: TaskEdit, { task }: EditContext): boolean {
  if (type === 'add' || type === 'retry' || task === undefined || task.origin !== 'author') return true;
  return (type === 'skip' || type === 'resolve') && task.hasValidation !== true;
}
