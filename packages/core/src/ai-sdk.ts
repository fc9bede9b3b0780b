// Apart from the rest, so that only what speaks the AI SDK's own protocol loads it.
export { createUIMessageTranslator, toUIMessageStream } from './log/ui-message-stream.ts';
export { withoutRetried } from './run/without-retried.ts';
export {
  PromptTransport,
  type ChatCall,
  type ChatSettings,
  type PromptTransportOptions,
  type PromptUIMessage,
  type RunIds,
} from './run/prompt-transport.ts';
