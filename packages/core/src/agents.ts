// Apart from the rest, so that only what puts agents together loads it.
export { createDialog, dialogFromJSON } from './agents/call/dialog.ts';
export { agents, createAgentRegistry, type AgentRegistry } from './agents/call/registry.ts';
