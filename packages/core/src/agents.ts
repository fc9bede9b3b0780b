// Apart from the rest, so that only what puts agents together loads it.
export { createDialog, dialogFromJSON } from './call/dialog.ts';
export { agents, createAgentRegistry, type AgentRegistry } from './call/registry.ts';
