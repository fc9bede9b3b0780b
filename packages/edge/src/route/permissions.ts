import { CuelineError, type TaskEdit, type TaskItem } from '@cueline/core';

/** What an edit is about. */
export type EditContext = {
  /** The task as it stands; undefined for `add`, and for a task that the list does not have. */
  task: TaskItem | undefined;
  /** Whose run it is. */
  subject: string;
  /** The prompt's name. */
  prompt: string;
};

/**
 * Which edits of a task list a client may make: a list of their types, for every task, or a function that answers for
 * each. A function that throws refuses.
 *
 * @example
 * edits: ['add', 'rename', 'skip']
 * edits: (edit, { task }) => task?.hasValidation !== true
 */
export type EditPermission =
  | readonly TaskEdit['type'][]
  | ((edit: TaskEdit, context: EditContext) => boolean | Promise<boolean>);

/** What an approval is about. */
export type ApprovalContext = {
  /** The tool that waits. */
  toolName: string;
  /** Whose run it is. */
  subject: string;
  /** The prompt's name. */
  prompt: string;
};

/**
 * What a client may answer to a call that needs an approval: `'yes-no'`, or `'edit'` where it may also change the call's
 * arguments, which the tool's schema then checks again. A function answers for each call; one that throws means
 * `'yes-no'`.
 */
export type ApprovalPermission =
  | 'yes-no'
  | 'edit'
  | ((request: ApprovalContext) => 'yes-no' | 'edit' | Promise<'yes-no' | 'edit'>);

/** What the clients of a route may do to its runs. */
export type Permissions = {
  edits?: EditPermission | undefined;
  approvals?: ApprovalPermission | undefined;
};

const editTypes = ['add', 'rename', 'remove', 'move', 'skip', 'retry', 'resolve'] as const;

/** Checks what a route allows. @throws CuelineError `invalid_options` */
export function readPermissions({ edits, approvals }: Permissions): Permissions {
  if (edits !== undefined && typeof edits !== 'function') {
    const unknown = Array.isArray(edits)
      ? edits.find((type) => !(editTypes as readonly unknown[]).includes(type))
      : edits;
    if (unknown !== undefined) {
      throw invalid(
        `edits has ${JSON.stringify(unknown)}. Give a list of ${editTypes.join(', ')}, or a function (edit, { task }) => boolean.`,
      );
    }
  }
  const isKnown = approvals === undefined || approvals === 'yes-no' || approvals === 'edit';
  if (!isKnown && typeof approvals !== 'function') {
    throw invalid(
      `approvals is ${JSON.stringify(approvals)}. Give 'yes-no', 'edit', or a function ({ toolName }) => 'yes-no'.`,
    );
  }
  return { edits, approvals };
}

function invalid(message: string): CuelineError {
  return new CuelineError('invalid_options', `createPromptRoute: ${message}`);
}

/** Whether a client may make this edit. */
export async function mayEdit(
  permission: EditPermission | undefined,
  edit: TaskEdit,
  context: EditContext,
): Promise<boolean> {
  if (permission === undefined) return allowUnlessAuthored(edit, context);
  if (typeof permission !== 'function') return permission.includes(edit.type);
  // JavaScript may answer with anything
  const allowed: unknown = await permission(edit, context);
  return allowed === true;
}

/** Whether a client may give this answer, where its arguments differ from the call's. */
export async function mayChangeArguments(
  permission: ApprovalPermission | undefined,
  context: ApprovalContext,
): Promise<boolean> {
  const allowed = typeof permission === 'function' ? await permission(context) : permission;
  return allowed === 'edit';
}

/**
 * The default: whatever the author has not written may be changed. The author's tasks keep their words and their order,
 * each may be done again, and those with a validation end by their validation alone.
 */
function allowUnlessAuthored({ type }: TaskEdit, { task }: EditContext): boolean {
  if (type === 'add' || type === 'retry' || task === undefined || task.origin !== 'author') return true;
  return (type === 'skip' || type === 'resolve') && task.hasValidation !== true;
}
