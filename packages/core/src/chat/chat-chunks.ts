import type { UIMessageChunk } from 'ai';
import type { RunEvent } from '../log/events.ts';
import { createOpenCalls, type OpenCall, type IdleState } from '../log/open-calls.ts';
import { UNANSWERED, WITHDRAWN } from '../log/pending.ts';
import { applyToTasks, type TaskDraft } from '../log/task-state.ts';
import { createUIMessageTranslator, toolErrorChunk } from './ui-message-stream.ts';

/** Marks a part for an approval or call of an agent: the model that wrote the answer has not made this call. */
export const AGENT_CALL = 'cuelineAgent';

/** Id of the part that has the task list. */
const TASKS_ID = 'tasks';

/** Translates a run for a chat: its answer, its approvals and client tool calls, and its tasks. */
export type ChatTranslator = {
  /** Returns the chunks of one event: none, one or several. */
  translate(event: RunEvent): UIMessageChunk[];
  /**
   * Returns whether the run waits for responses. `answered` has the ids of approvals and client tool calls whose
   * response is on its way.
   */
  idleState(answered: ReadonlySet<string>): IdleState;
  /** Returns the chunks that end the stream of a waiting run. A client of the AI SDK responds in its next request. */
  pause(): UIMessageChunk[];
};

/**
 * Translates events as `createUIMessageTranslator` does, approvals and client tool calls of agents into parts of their
 * own, and the task list into a part `data-tasks` that is changed in place.
 */
export function createChatTranslator(): ChatTranslator {
  return new ChatChunks();
}

/** The translation of one run for a chat. */
class ChatChunks implements ChatTranslator {
  readonly #toAnswer = createUIMessageTranslator();
  readonly #calls = createOpenCalls();
  readonly #list: TaskDraft = {
    fields: { tasks: [] },
    writable: (tasks) => (Array.isArray(tasks) ? (tasks.slice() as typeof tasks) : tasks),
    progress: { earlierTasks: new Map() },
    indexes: {},
  };
  #shownTasks;
  #hasStep = false;
  /** True if the last step of the answer has results of tools, which a chat would send to the model. */
  #hasResults = false;
  /**
   * The chunk that begins the message. It is sent with the first part, because a client would show an empty
   * message for a run that fails earlier.
   */
  #start: UIMessageChunk[] = [];

  constructor() {
    this.#shownTasks = this.#list.fields.tasks;
  }

  idleState(answered: ReadonlySet<string>): IdleState {
    return this.#calls.idleState(answered);
  }

  translate(event: RunEvent): UIMessageChunk[] {
    if (event.agent === undefined) this.#noteStep(event);
    const chunks = this.#toChunks(event);
    // tasks that are defined before the first step are sent together
    return this.#begun([...(this.#hasStep ? this.#taskChunks() : []), ...chunks]);
  }

  pause(): UIMessageChunk[] {
    // the AI SDK sends the next message once no call is without a response, and does not know calls that wait for
    // an agent's
    const behind = this.#calls.own().filter(({ waitsFor }) => waitsFor === undefined);
    const marks = behind.flatMap(({ toolCallId }): UIMessageChunk[] => [
      { type: 'tool-approval-request', approvalId: toolCallId, toolCallId, isAutomatic: true },
      { type: 'tool-approval-response', approvalId: toolCallId, approved: true },
    ]);
    return [...marks, { type: 'finish', finishReason: 'tool-calls' }];
  }

  #begun(chunks: UIMessageChunk[]): UIMessageChunk[] {
    const says = chunks.length > 0 && chunks.every(({ type }) => type !== 'error' && type !== 'abort');
    const begun = says ? [...this.#start, ...chunks] : chunks;
    if (says) this.#start = [];
    return begun;
  }

  #taskChunks(): UIMessageChunk[] {
    const { tasks } = this.#list.fields;
    if (tasks === this.#shownTasks) return [];
    this.#shownTasks = tasks;
    return [{ type: 'data-tasks', id: TASKS_ID, data: tasks }];
  }

  #toChunks(event: RunEvent): UIMessageChunk[] {
    const call = this.#calls.apply(event);
    switch (event.type) {
      case 'run-start':
        // a run that failed before its message has no id for it
        this.#start = [{ type: 'start', ...(event.messageId === '' ? {} : { messageId: event.messageId }) }];
        return [];
      case 'task-add':
      case 'task-update':
      case 'task-move':
      case 'task-remove':
        if (event.agent === undefined) applyToTasks(this.#list, event);
        return [];
      case 'approval-request':
      case 'client-tool-request':
        if (event.agent === undefined) return this.#toAnswer(event);
        return call === undefined ? [] : this.#askChunks(event, call);
      case 'approval-response': {
        if (event.agent === undefined) return this.#toAnswer(event);
        const { approvalId, response } = event;
        if (call === undefined) return [];
        const { approved } = response;
        const reason = response.approved || response.reason === undefined ? {} : { reason: response.reason };
        return [{ type: 'tool-approval-response', approvalId, approved, ...reason }];
      }
      case 'client-tool-response':
        // the result of a client tool's call comes with the call's end
        return event.agent === undefined ? this.#toAnswer(event) : [];
      case 'approval-withdraw':
      case 'client-tool-withdraw':
        if (event.agent === undefined) return this.#toAnswer(event);
        return call?.shownAs === undefined ? [] : [toolErrorChunk(call.shownAs, WITHDRAWN)];
      case 'tool-end':
        if (event.agent === undefined) return this.#toAnswer(event);
        if (call?.shownAs === undefined) return [];
        return [{ type: 'tool-output-available', toolCallId: call.shownAs, output: event.output ?? null }];
      case 'tool-error':
        if (event.agent === undefined) return this.#toAnswer(event);
        if (call?.shownAs === undefined) return [];
        if (call.refused === true) return [{ type: 'tool-output-denied', toolCallId: call.shownAs }];
        return [toolErrorChunk(call.shownAs, event.error)];
      case 'run-end':
        return [
          ...this.#calls
            .asking()
            .flatMap(({ shownAs }) => (shownAs === undefined ? [] : [toolErrorChunk(shownAs, UNANSWERED)])),
          // a chat that sends tool results automatically would start this run again, which has ended on purpose
          ...this.#toAnswer(
            event.outcome === 'done' && this.#hasResults ? { ...event, finishReason: 'interrupted' } : event,
          ),
        ];
      default:
        return this.#toAnswer(event);
    }
  }

  /**
   * Returns a part of its own for an approval or call of an agent, because its call is not part of the answer. The
   * client responds to a client tool's call with its output.
   */
  #askChunks(
    event: Extract<RunEvent, { type: 'approval-request' | 'client-tool-request' }>,
    call: OpenCall,
  ): UIMessageChunk[] {
    const { toolName, input, agent = '' } = event;
    const isApproval = event.type === 'approval-request';
    const toolCallId = isApproval ? event.approvalId : event.clientCallId;
    const reason = isApproval && event.reason !== undefined ? { reason: event.reason } : {};
    const { shownAs } = call;
    const before =
      shownAs === undefined
        ? []
        : [toolErrorChunk(shownAs, reason.reason ?? 'A newer request replaced this one.')];
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

  #noteStep(event: RunEvent): void {
    switch (event.type) {
      case 'step-start':
        this.#hasStep = true;
        this.#hasResults = false;
        break;
      case 'retry':
        this.#hasResults = false;
        break;
      case 'tool-input-end':
        if (event.invalid !== undefined) this.#hasResults = true;
        break;
      case 'tool-end':
      case 'tool-error':
        if (event.providerExecuted !== true) this.#hasResults = true;
        break;
      default:
    }
  }
}
