export type { ChatCall, ChatSettings, RunIds } from './chat/chat.ts';
// Apart from the rest, so that only what speaks the AI SDK's own protocol loads it.
export { toUIMessageStream } from './chat/ui-message-stream.ts';
export { withoutRetried } from './messages/without-retried.ts';
export {
  PromptTransport,
  type PromptTransportOptions,
  type PromptUIMessage,
} from './chat/prompt-transport.ts';
