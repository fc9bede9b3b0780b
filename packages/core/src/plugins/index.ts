export { memory, type Memory, type MemoryOptions } from './memory.ts';
export { webStorage, type MemoryStore, type WebStorage } from './memory-store.ts';
