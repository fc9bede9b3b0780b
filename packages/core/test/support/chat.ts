import {
  AbstractChat,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type ChatInit,
  type ChatState,
  type UIMessage,
} from 'ai';

/** The AI SDK's chat with nothing around it. */
export class PlainChat extends AbstractChat<UIMessage> {
  /** Every status that it has had, and every number of messages. */
  readonly statuses: string[];

  constructor({ messages = [], ...init }: ChatInit<UIMessage>) {
    const statuses: string[] = [];
    super({ ...init, state: plainState(messages, statuses) });
    this.statuses = statuses;
  }
}

/** A chat that sends approvals by itself, as the AI SDK's documentation has it. */
export function approvingChat(init: ChatInit<UIMessage>): PlainChat {
  return new PlainChat({
    ...init,
    sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
  });
}

function plainState(messages: UIMessage[], statuses: string[]): ChatState<UIMessage> {
  let status: ChatState<UIMessage>['status'] = 'ready';
  const state: ChatState<UIMessage> = {
    get status() {
      return status;
    },
    set status(next) {
      status = next;
      statuses.push(next);
    },
    error: undefined,
    messages: [...messages],
    pushMessage: (message) => void (state.messages = [...state.messages, message]),
    popMessage: () => void (state.messages = state.messages.slice(0, -1)),
    replaceMessage: (index, message) =>
      void (state.messages = state.messages.with(index, structuredClone(message))),
    snapshot: (value) => structuredClone(value),
  };
  return state;
}
