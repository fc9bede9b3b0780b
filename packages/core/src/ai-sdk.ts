// Apart from the rest, so that only a page with the AI SDK's own hooks loads it.
export {
  PromptTransport,
  type ChatCall,
  type ChatSettings,
  type PromptTransportOptions,
  type PromptUIMessage,
  type RunIds,
} from './run/prompt-transport.ts';
