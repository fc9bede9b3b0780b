import { createMCPClient } from '@ai-sdk/mcp';
import { describe, inject } from 'vitest';
import { testSessions } from './mcp-sessions.ts';

describe('a session in a page with MCP over HTTP', () => {
  testSessions(() => createMCPClient({ transport: { type: 'http', url: inject('notesUrl') } }));
});
