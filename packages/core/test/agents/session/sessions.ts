import {
  runAgentSession,
  type AgentSession,
  type SessionCallbacks,
  type SessionConfig,
  type SessionResult,
} from '@cueline/core/agents';
import { scriptedModel, type ScriptedModel, type ScriptedTurn } from '@cueline/core/testing';
import type { ModelMessage } from 'ai';
import * as z from 'zod';
import { calls } from '../../support.ts';

/** A turn that completes the task. */
export function complete(summary = 'All done.', result?: unknown): ScriptedTurn {
  return calls(['task_complete', { summary, ...(result === undefined ? {} : { result }) }, 'call-done']);
}

/** A tool that finds something, after a moment. */
export const search = {
  description: 'Search for information',
  inputSchema: z.object({ query: z.string() }),
  execute: async ({ query }: { query: string }) => {
    await new Promise((resolve) => setTimeout(resolve, 2));
    return { found: query };
  },
};

export type Played = {
  session: AgentSession;
  result: SessionResult;
  model: ScriptedModel;
  /** A short form of each callback's arguments, in the order of the calls. */
  told: string[];
};

/** Runs a session of a script to its end. */
export async function playSession(
  turns: readonly ScriptedTurn[],
  config: Partial<SessionConfig> = {},
): Promise<Played> {
  const model = scriptedModel(turns);
  const told: string[] = [];
  const session = runAgentSession(model, {
    sessionId: 's1',
    systemPrompt: 'You are a helpful assistant.',
    tools: { search },
    ...config,
    callbacks: traced(told, config.callbacks),
  });
  return { session, result: await session.promise, model, told };
}

/** Every callback. Each takes a while and records its start; one that is called during another records that. */
export function traced(told: string[], own: SessionCallbacks = {}): Required<SessionCallbacks> {
  let busy = false;
  const note = async <Value>(line: string, run: () => Value | Promise<Value>): Promise<Value> => {
    const cut = line.length > 260 ? `${line.slice(0, 60)}…` : line;
    told.push(busy ? `${cut} TOO EARLY` : cut);
    busy = true;
    await new Promise((resolve) => setTimeout(resolve, 2));
    try {
      return await run();
    } finally {
      busy = false;
    }
  };
  return {
    onTurnStart: (...all) => note(`onTurnStart ${all[1]}`, () => own.onTurnStart?.(...all)),
    onAssistantMessage: (...all) =>
      note(`onAssistantMessage ${all[2]}: ${all[1]}`, () => own.onAssistantMessage?.(...all)),
    onToolCall: (...all) =>
      note(`onToolCall ${all[1].turn}: ${all[1].toolName} ${JSON.stringify(all[1].input)}`, () =>
        own.onToolCall?.(...all),
      ),
    onToolResult: (...all) =>
      note(`onToolResult ${all[1].turn}: ${all[1].toolName} ${JSON.stringify(all[1].output)}`, () =>
        own.onToolResult?.(...all),
      ),
    onError: (...all) =>
      note(
        `onError ${all[1].turn}: ${all[1].phase}${all[1].toolName === undefined ? '' : ` ${all[1].toolName}`} ${all[1].error.message.slice(0, 40)}`,
        () => own.onError?.(...all),
      ),
    onMessagesUpdate: (...all) =>
      note(`onMessagesUpdate ${short(all[1])}`, () => own.onMessagesUpdate?.(...all)),
    onComplete: (...all) =>
      note(`onComplete ${all[1].completionReason} in ${all[1].totalTurns}`, () => own.onComplete?.(...all)),
    onBeforeSummarize: (...all) =>
      note(`onBeforeSummarize ${short(all[1])}`, () => own.onBeforeSummarize?.(...all) ?? all[1]),
    onAfterSummarize: (...all) =>
      note(`onAfterSummarize ${short(all[1])}`, () => own.onAfterSummarize?.(...all) ?? all[1]),
  };
}

/** Who has said what: `user, assistant(search), tool(search)`. */
export function short(messages: readonly ModelMessage[]): string {
  return messages
    .map(({ role, content }) => {
      const parts = typeof content === 'string' ? [] : content;
      const names = parts.flatMap((part) =>
        part.type === 'tool-call'
          ? [part.toolName]
          : part.type === 'tool-result'
            ? [`${part.toolName}${part.output.type.startsWith('error') ? '!' : ''}`]
            : [],
      );
      return names.length === 0 ? role : `${role}(${names.join(' ')})`;
    })
    .join(', ');
}
