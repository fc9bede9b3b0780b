import type { ChatTransport, UIMessage, UIMessageChunk } from 'ai';
import type { CuelineErrorCode } from '../base/errors.ts';
import { loadModule } from '../base/load-module.ts';
import { inProcess } from '../executors/in-process.ts';
import type { TaskState } from '../log/state.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import type { ChatRun } from './chat-run.ts';
import type { ChatCall, ChatSettings } from './chat.ts';
import type * as Chat from './chat.ts';

/** Options of {@link PromptTransport}. A function creates the input of each turn. */
export type PromptTransportOptions<Input = void> = Omit<ChatSettings, 'input'> &
  (void extends Input
    ? { input?: Input }
    : {
        /** The input of the prompt function. */ input: Input | ((call: ChatCall) => Input | Promise<Input>);
      });

/**
 * A message with the parts that a prompt adds in a chat: its task list, as `data-tasks`, and after a step that was
 * cut off and is tried again the error's code, as `data-retry` (see `withoutRetried`).
 */
export type PromptUIMessage = UIMessage<
  unknown,
  { tasks: readonly TaskState[]; retry: { code: CuelineErrorCode } }
>;

/** The run of each chat, by definition, because an app may create a transport at each render. */
const chats = new WeakMap<object, Map<string, ChatRun>>();

/**
 * Lets a stock `useChat` run a prompt, in this page or wherever the executor runs it. Its turns follow the prompt's own
 * messages; a call that needs an approval waits for `addToolApprovalResponse`. A setting that does not exist is an
 * `invalid_options` error of the first message.
 *
 * @example
 * const chat = useChat({ transport: new PromptTransport(planDay, { model: 'openai:gpt-4o' }) });
 */
export class PromptTransport<Input = void> implements ChatTransport<UIMessage> {
  readonly resumeStreamIsReplay = true;
  readonly #prompt: Chat.ChatPrompt;

  constructor(
    definition: PromptDefinition<Input>,
    ...[settings]: void extends Input
      ? [options?: PromptTransportOptions<Input>]
      : [options: PromptTransportOptions<Input>]
  ) {
    const chatSettings: ChatSettings = settings ?? {};
    const runs = chats.get(definition) ?? new Map<string, ChatRun>();
    chats.set(definition, runs);
    this.#prompt = {
      // the input is made for this definition
      definition: definition as PromptDefinition<unknown>,
      executor: chatSettings.executor ?? inProcess(),
      settings: chatSettings,
      runs,
    };
  }

  /** Starts a run with the chat's messages, or continues the run whose approvals or client tool calls they answer. */
  async sendMessages(
    call: Parameters<ChatTransport<UIMessage>['sendMessages']>[0],
  ): Promise<ReadableStream<UIMessageChunk>> {
    const { send } = await loadChat();
    return send(this.#prompt, call);
  }

  /** Returns the chat's run from its beginning if it is running or its end has not been read; otherwise null. */
  async reconnectToStream(
    call: Parameters<ChatTransport<UIMessage>['reconnectToStream']>[0],
  ): Promise<ReadableStream<UIMessageChunk> | null> {
    const { reconnect } = await loadChat();
    return reconnect(this.#prompt, { chatId: call.chatId, abortSignal: call.abortSignal });
  }

  /** Returns the messages of a chat in this page, for a component that mounts again: `useChat({ messages })`. */
  messages(chatId: string): UIMessage[] {
    return this.#prompt.runs.get(chatId)?.messages() ?? [];
  }

  /** Ends the chat's run as `stopped`, also one that waits for an approval or has no watcher. */
  stop(chatId: string): void {
    this.#prompt.runs.get(chatId)?.stop();
  }
}

/** The code of chats loads with the first message. */
function loadChat(): Promise<typeof Chat> {
  return loadModule('chats', import('./chat.ts'));
}
