export type { ChatCall, ChatSettings, RunIds } from './chat/chat.ts';
// An entry of its own, so that only code that uses the AI SDK's protocol loads it.
export { toUIMessageStream } from './chat/ui-message-stream.ts';
export { withoutRetried } from './messages/without-retried.ts';
export {
  PromptTransport,
  type PromptTransportOptions,
  type PromptUIMessage,
} from './chat/prompt-transport.ts';
