import {
  AbstractChat,
  DefaultChatTransport,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  type ChatState,
  type UIMessage,
} from 'ai';
import { address, type TestRoute } from './routes.ts';

/** A chat of the AI SDK, as `useChat` makes one, without React. */
export class TestChat extends AbstractChat<UIMessage> {
  constructor(
    hub: Pick<TestRoute, 'fetch'>,
    { id = 'chat-1', messages = [] as UIMessage[], subject = 'ada', body = {} } = {},
  ) {
    let count = 0;
    super({
      id,
      state: createState(messages),
      generateId: () => `client-${(count += 1)}`,
      transport: new DefaultChatTransport({
        api: address,
        body,
        fetch: ((url: string, init: RequestInit) =>
          hub.fetch(subject)(new Request(url, init))) as typeof fetch,
      }),
      sendAutomaticallyWhen: lastAssistantMessageIsCompleteWithApprovalResponses,
    });
  }
}

function createState(given: UIMessage[]): ChatState<UIMessage> {
  return {
    status: 'ready',
    error: undefined,
    messages: given,
    pushMessage(message) {
      this.messages = [...this.messages, message];
    },
    popMessage() {
      this.messages = this.messages.slice(0, -1);
    },
    replaceMessage(index, message) {
      this.messages = this.messages.with(index, message);
    },
    snapshot: (value) => structuredClone(value),
  };
}
