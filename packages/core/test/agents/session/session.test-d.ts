import type { MCPClient } from '@ai-sdk/mcp';
import { tool } from '@cueline/core';
import { defineSession, runAgentSession, suspend } from '@cueline/core/agents';
import { tool as aiTool, type ToolSet } from 'ai';
import { expectTypeOf, test } from 'vitest';
import * as z from 'zod';

test('the arguments of a tool come from its schema', () => {
  const session = runAgentSession('simulated:demo', {
    systemPrompt: '',
    tools: {
      search: {
        description: 'Search',
        inputSchema: z.object({ query: z.string(), limit: z.number().optional() }),
        execute: async ({ query, limit }) => {
          expectTypeOf(query).toEqualTypeOf<string>();
          expectTypeOf(limit).toEqualTypeOf<number | undefined>();
          return { query };
        },
      },
      ask: {
        inputSchema: z.object({ question: z.string() }),
        execute: ({ question }) => suspend({ question }),
      },
      plain: { inputSchema: { type: 'object', properties: {} }, execute: (args) => String(args) },
      ready: aiTool({ inputSchema: z.object({ a: z.string() }), execute: async ({ a }) => a }),
    },
  });
  expectTypeOf<Awaited<typeof session>['completionReason']>().toEqualTypeOf<
    'task_complete' | 'max_turns' | 'error' | 'stopped' | 'suspended'
  >();
  runAgentSession(
    { provider: 'ollama', model: 'x' },
    { systemPrompt: '', tools: [tool('a', '', z.object({ b: z.string() }), ({ b }) => b)] },
  );
  // @ts-expect-error a model of another provider is written as text
  runAgentSession({ provider: 'google', model: 'x' }, { systemPrompt: '' });
});

test('a defined session has the type of its result', () => {
  const work = defineSession('work', { systemPrompt: 'You work.' });
  expectTypeOf<NonNullable<(typeof work)['~types']>['output']>().toEqualTypeOf<{
    summary: string;
    result?: unknown;
  }>();
});

test('tools of an MCP client, and any set of tools, pass straight in', () => {
  const pass = (tools: Awaited<ReturnType<MCPClient['tools']>>, set: ToolSet): void => {
    runAgentSession('simulated:demo', { systemPrompt: '', tools });
    runAgentSession('simulated:demo', { systemPrompt: '', tools: set });
    runAgentSession('simulated:demo', { systemPrompt: '', tools: { ...tools, ...set } });
  };
  expectTypeOf(pass).toBeFunction();
});
