export { guesthouse } from './guesthouse.ts';
export type { ModelCall, ModelStreamPart } from './read-call.ts';
export { simulatedModel } from './simulated-model.ts';
