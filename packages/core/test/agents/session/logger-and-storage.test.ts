import { createRun, runPrompt, tool } from '@cueline/core';
import { defineAgent, runAgentSession, suspend, type AgentSession } from '@cueline/core/agents';
import { scriptedModel } from '@cueline/core/testing';
import { expect, test, vi } from 'vitest';
import * as z from 'zod';
import { calls, go, throwing } from '../../support.ts';
import { memoryStorage } from '../../support/runs.ts';
import { complete, search } from './sessions.ts';

const systemPrompt = 'You work.';

test('the logger receives each event, with the id of its session', async () => {
  const logger = { info: vi.fn(), warn: vi.fn(), error: vi.fn() };
  const result = await runAgentSession(
    scriptedModel([calls(['serach']), [{ throw: { message: 'No.', status: 400 } }], complete()]),
    { sessionId: 's1', systemPrompt, tools: { search }, metadata: { tenant: 7 }, logger },
  );
  expect(result.metadata).toEqual({ tenant: 7 });
  expect(logger.info.mock.calls).toEqual([
    ['The session is over: task_complete.', { sessionId: 's1', metadata: { tenant: 7 }, turns: 3 }],
  ]);
  expect(logger.error.mock.calls.map(([, facts]) => facts as unknown)).toEqual([
    { sessionId: 's1', metadata: { tenant: 7 }, phase: 'tool_parsing', turn: 1 },
    { sessionId: 's1', metadata: { tenant: 7 }, phase: 'llm', turn: 2 },
  ]);
});

test('a logger that throws is ignored', async () => {
  const broken = throwing(new Error('broken'));
  const result = await runAgentSession(scriptedModel([calls(['serach']), complete()]), {
    systemPrompt,
    logger: { info: broken, error: broken },
  });
  expect(result.completionReason).toBe('task_complete');
});

test('the run of a session is stored under its id', async () => {
  const storage = memoryStorage();
  const session = runAgentSession(scriptedModel([complete('Kept.')]), {
    sessionId: 'kept',
    systemPrompt,
    storage,
  });
  await session;
  const again = createRun(session.run.definition, { id: 'kept', storage });
  await again.restored;
  expect(again.getState()).toMatchObject({ status: 'done', result: { summary: 'Kept.' } });
});

test('a session shows its state live, and its calls can be approved', async () => {
  const booked: string[] = [];
  const session: AgentSession = runAgentSession(
    scriptedModel([calls(['book', { city: 'Rome' }], ['search', { query: 'x' }]), complete()]),
    {
      systemPrompt,
      toolTimeout: 40,
      options: { approval: true },
      tools: [
        tool('book', 'Book', z.object({ city: z.string() }), ({ city }) => void booked.push(city), {
          effect: 'external',
        }),
        tool('search', 'Search', z.object({ query: z.string() }), ({ query }) => query, { effect: 'read' }),
      ],
    },
  );
  const seen: string[] = [];
  session.run.listen((event) => {
    seen.push(event.type);
    // an answer may take longer than a tool
    if (event.type === 'approval-request') {
      setTimeout(() => void session.run.respondToApproval(event.approvalId, { approved: true }), 80);
    }
  });
  expect((await session).completionReason).toBe('task_complete');
  expect(booked).toEqual(['Rome']);
  expect(seen).toContain('approval-response');
});

test('a tool of a session can call an agent, in the same log', async () => {
  const translator = defineAgent({ name: 'translate', instructions: 'Translate into French.' });
  const session = runAgentSession(
    scriptedModel([calls(['translate', { text: 'Hello' }]), 'Bonjour', complete('Done.')]),
    {
      systemPrompt,
      toolTimeout: 5_000,
      limits: { concurrentToolCalls: 1 },
      tools: {
        translate: {
          inputSchema: z.object({ text: z.string() }),
          execute: async ({ text }, context) => (await translator.call(text, { context })).output,
        },
      },
    },
  );
  const result = await session;
  expect(result.completionReason).toBe('task_complete');
  expect(JSON.stringify(result.messages)).toContain('Bonjour');
  expect(session.run.getState().agents).toMatchObject([{ name: 'translate', status: 'done' }]);
});

test('two sessions in one tool have a log each', async () => {
  const inner = (): AgentSession =>
    runAgentSession(scriptedModel([complete('Inner.')]), { systemPrompt: 'You help.' });
  const result = await runAgentSession(scriptedModel([calls(['delegate']), complete('Outer.')]), {
    systemPrompt,
    tools: {
      delegate: {
        inputSchema: z.object({}),
        execute: async () => (await Promise.all([inner(), inner()])).map(({ finalOutput }) => finalOutput),
      },
    },
  });
  expect(result.finalOutput).toBe('Outer.');
  expect(JSON.stringify(result.messages)).toContain('["Inner.","Inner."]');
});

test('suspend() outside a session is an ordinary result', async () => {
  const { run } = await runPrompt(
    go((prompt) => prompt.defTool('ask', 'Ask', z.object({}), () => suspend('?'))),
    { model: scriptedModel([calls(['ask']), 'Hm.']) },
  );
  expect((await run.finished).status).toBe('done');
});
