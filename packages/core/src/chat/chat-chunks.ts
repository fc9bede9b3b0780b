import type { UIMessageChunk } from 'ai';
import type { RunEvent } from '../log/events.ts';
import { createOpenCalls, type OpenCall, type IdleState } from '../log/open-calls.ts';
import { applyToTasks, type TaskDraft } from '../log/task-state.ts';
import { UNANSWERED, WITHDRAWN } from '../log/tool-part.ts';
import { createUIMessageTranslator, failed } from './ui-message-stream.ts';

/** Marks a part that shows what an agent asks: the model that wrote the answer has not made this call. */
export const AGENT_CALL = 'cuelineAgent';

/** Id of the part that has the task list. */
const TASKS_ID = 'tasks';

/** What a chat is shown of a run: besides the answer, what it asks and its tasks. */
export type ChatTranslator = {
  /** The chunks that one event becomes: none, one or several. */
  translate(event: RunEvent): UIMessageChunk[];
  /** Whether the run waits for answers; `answered` has the ids of approvals and client tool calls whose response is on its way. */
  stillness(answered: ReadonlySet<string>): IdleState;
  /** How the stream ends where the run waits: a client of the AI SDK answers with its next message. */
  pause(): UIMessageChunk[];
};

/**
 * Translates events as `createUIMessageTranslator` does, approvals and client tool calls of agents into parts of their
 * own, and the task list into a part `data-tasks` that is changed in place.
 */
export function createChatTranslator(): ChatTranslator {
  const toAnswer = createUIMessageTranslator();
  const calls = createOpenCalls();
  const list: TaskDraft = {
    facts: { tasks: [] },
    own: (tasks) => (Array.isArray(tasks) ? (tasks.slice() as typeof tasks) : tasks),
    progress: { earlierTasks: new Map() },
    places: {},
  };
  let shownTasks = list.facts.tasks;
  let hasStep = false;
  /** The message begins with its first part: a client shows an empty one for a run that fails before. */
  let start: UIMessageChunk[] = [];

  function begun(chunks: UIMessageChunk[]): UIMessageChunk[] {
    const says = chunks.some(({ type }) => type !== 'error' && type !== 'abort');
    const begun = says ? [...start, ...chunks] : chunks;
    if (says) start = [];
    return begun;
  }

  function taskChunks(): UIMessageChunk[] {
    const { tasks } = list.facts;
    if (tasks === shownTasks) return [];
    shownTasks = tasks;
    return [{ type: 'data-tasks', id: TASKS_ID, data: tasks }];
  }

  function toChunks(event: RunEvent): UIMessageChunk[] {
    const call = calls.apply(event);
    switch (event.type) {
      case 'run-start':
        // one that failed before it had a message has no id for it
        start = [{ type: 'start', ...(event.messageId === '' ? {} : { messageId: event.messageId }) }];
        return [];
      case 'task-add':
      case 'task-update':
      case 'task-move':
      case 'task-remove':
        if (event.agent === undefined) applyToTasks(list, event);
        return [];
      case 'approval-request':
      case 'client-tool-request':
        if (event.agent === undefined) return toAnswer(event);
        return call === undefined ? [] : askChunks(event, call);
      case 'approval-response': {
        if (event.agent === undefined) return toAnswer(event);
        const { approvalId, response } = event;
        if (call === undefined) return [];
        const { approved } = response;
        const reason = response.approved || response.reason === undefined ? {} : { reason: response.reason };
        return [{ type: 'tool-approval-response', approvalId, approved, ...reason }];
      }
      case 'client-tool-response':
        // the result of a client tool's call comes with the call's end
        return event.agent === undefined ? toAnswer(event) : [];
      case 'approval-withdraw':
      case 'client-tool-withdraw':
        if (event.agent === undefined) return toAnswer(event);
        return call?.shownAs === undefined ? [] : [failed(call.shownAs, WITHDRAWN)];
      case 'tool-end':
        if (event.agent === undefined) return toAnswer(event);
        if (call?.shownAs === undefined) return [];
        return [{ type: 'tool-output-available', toolCallId: call.shownAs, output: event.output ?? null }];
      case 'tool-error':
        if (event.agent === undefined) return toAnswer(event);
        if (call?.shownAs === undefined) return [];
        if (call.refused === true) return [{ type: 'tool-output-denied', toolCallId: call.shownAs }];
        return [failed(call.shownAs, event.error)];
      case 'run-end':
        return [
          ...calls
            .asking()
            .flatMap(({ shownAs }) => (shownAs === undefined ? [] : [failed(shownAs, UNANSWERED)])),
          ...toAnswer(event),
        ];
      default:
        return toAnswer(event);
    }
  }

  /**
   * What an agent asks gets a part of its own, which says what it is: its call is none of the answer's. A client tool's
   * call is answered with its output.
   */
  function askChunks(
    event: Extract<RunEvent, { type: 'approval-request' | 'client-tool-request' }>,
    call: OpenCall,
  ): UIMessageChunk[] {
    const { toolName, input, agent = '' } = event;
    const isApproval = event.type === 'approval-request';
    const toolCallId = isApproval ? event.approvalId : event.clientCallId;
    const reason = isApproval && event.reason !== undefined ? { reason: event.reason } : {};
    const { shownAs } = call;
    const before = shownAs === undefined ? [] : [failed(shownAs, reason.reason ?? 'It was asked again.')];
    call.shownAs = toolCallId;
    const approval: UIMessageChunk[] = isApproval
      ? [{ type: 'tool-approval-request', approvalId: toolCallId, toolCallId, ...reason }]
      : [];
    const toolMetadata = { [AGENT_CALL]: agent };
    return [
      ...before,
      { type: 'tool-input-available', toolCallId, toolName, input, dynamic: true, toolMetadata },
      ...approval,
    ];
  }

  return {
    translate(event) {
      if (event.type === 'step-start' && event.agent === undefined) hasStep = true;
      const chunks = toChunks(event);
      // a list that is written down before the first step goes out as one
      return begun([...(hasStep ? taskChunks() : []), ...chunks]);
    },
    stillness: calls.stillness,
    pause() {
      // the AI SDK sends answers by itself once no call is without one, and knows no call that waits for another's
      const behind = calls.own().filter(({ waitsFor }) => waitsFor === undefined);
      const marks = behind.flatMap(({ toolCallId }): UIMessageChunk[] => [
        { type: 'tool-approval-request', approvalId: toolCallId, toolCallId, isAutomatic: true },
        { type: 'tool-approval-response', approvalId: toolCallId, approved: true },
      ]);
      return [...marks, { type: 'finish', finishReason: 'tool-calls' }];
    },
  };
}
