import type { RunCommand, RunEvent, TaskItem } from '@cueline/core';
import { applyTaskEvent, canonicalCall } from '@cueline/core/server';
import { withTimeout } from '../base/with-timeout.ts';
import { mayChangeArguments, mayEdit, type Permissions } from './permissions.ts';

/** Checks a client's commands to a run against its permissions. */
export type CommandCheck = {
  /** Called with the next event of the run. */
  see(event: RunEvent): void;
  /** Returns why a client must not send this command; undefined if it may. Never rejects. */
  refusal(command: RunCommand): Promise<string | undefined>;
};

export type CommandCheckOptions = {
  permissions: Permissions;
  prompt: string;
  subject: string;
  /** Called with errors that `edits` or `approvals` throws. */
  onFailure(error: unknown): void;
};

/** One for each run. It knows the run's tasks and pending approvals from its events. */
export function createCommandCheck(options: CommandCheckOptions): CommandCheck {
  const { permissions, prompt, subject, onFailure } = options;
  /** By agent path; '' for the run itself. */
  const tasks = new Map<string, readonly TaskItem[]>();
  const approvals = new Map<string, { toolName: string; input: unknown }>();

  async function editError({
    edit,
    agent = '',
  }: Extract<RunCommand, { type: 'edit' }>): Promise<string | undefined> {
    const taskId = 'taskId' in edit ? edit.taskId : undefined;
    const task = taskId === undefined ? undefined : tasks.get(agent)?.find(({ id }) => id === taskId);
    // a run that gets the edit later may have a task of this id by then
    if (taskId !== undefined && task === undefined) return 'There is no such task in this run.';
    if (await mayEdit(permissions.edits, edit, { task, subject, prompt })) return undefined;
    return `Clients may not ${edit.type} ${task?.id ?? 'tasks'} here. The server can allow it: edits: ['${edit.type}'] in createPromptRoute.`;
  }

  async function approvalError({
    approvalId,
    response,
  }: Extract<RunCommand, { type: 'approval-response' }>): Promise<string | undefined> {
    const input = response.approved ? response.input : undefined;
    const approval = approvals.get(approvalId);
    // the run itself refuses an unknown id
    if (input === undefined || approval === undefined || isSame(input, approval.input)) return undefined;
    const { toolName } = approval;
    if (await mayChangeArguments(permissions.approvals, { toolName, subject, prompt })) return undefined;
    return `Clients may not change the arguments of ${toolName} here. Approve the call as it is, or refuse it. The server can allow it: approvals: 'edit' in createPromptRoute.`;
  }

  return {
    see(event) {
      switch (event.type) {
        case 'task-add':
        case 'task-update':
        case 'task-move':
        case 'task-remove': {
          const { agent = '' } = event;
          tasks.set(agent, applyTaskEvent(tasks.get(agent) ?? [], event));
          return;
        }
        case 'approval-request':
          approvals.set(event.approvalId, { toolName: event.toolName, input: event.input });
          return;
        case 'approval-response':
        case 'approval-withdraw':
          approvals.delete(event.approvalId);
          return;
        default:
      }
    },
    async refusal(command) {
      try {
        if (command.type === 'edit') return await withTimeout(editError(command));
        // the other commands are about the page's own tools
        return command.type === 'approval-response' ? await withTimeout(approvalError(command)) : undefined;
      } catch (error) {
        onFailure(error);
        return 'Whether this is allowed could not be checked. Try again in a while.';
      }
    },
  };
}

function isSame(one: unknown, other: unknown): boolean {
  return canonicalCall('', one) === canonicalCall('', other);
}
