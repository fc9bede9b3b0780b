import type { RunEvent } from '../log/events.ts';
import type { Speaker } from '../run/tree.ts';
import type { ModelAnswer } from '../run/steady-model.ts';
import { readInput } from './answer-message.ts';
import type { Conversation } from './conversation.ts';
import type { ToolCallInfo } from './session-callbacks.ts';
import { isSuspension } from '../prompt/suspend.ts';
import type { Teller } from './teller.ts';

/** Follows the calls of a turn in the log. Tools end in any order, and are told of as they do. */
export type ToolNews = {
  /** The calls of an answer, which are about to run. */
  begin(answer: ModelAnswer, turn: number): ToolCallInfo[];
  /** The turn is over. */
  clear(): void;
  stop(): void;
};

/** `thrown` is what tools have thrown, by the ids of their calls. */
export function followTools(
  { tree, path }: Speaker,
  conversation: Conversation,
  teller: Teller,
  thrown: Map<string, unknown>,
): ToolNews {
  const calls = new Map<string, ToolCallInfo>();
  /** Those that cannot run. */
  const invalid = new Set<string>();

  function hear(event: RunEvent): void {
    if (event.type === 'tool-input-end' && event.invalid !== undefined) invalid.add(event.toolCallId);
    if (event.type !== 'tool-end' && event.type !== 'tool-error') return;
    const { toolCallId } = event;
    const info = calls.get(toolCallId);
    if (info === undefined) return;
    if (event.type === 'tool-error') {
      conversation.fail(info, event.error);
      const phase = invalid.has(toolCallId) ? 'tool_parsing' : 'tool_execution';
      void teller.fail({ ...info, phase, error: errorOf(thrown.get(toolCallId), event.error) });
    } else if (!isSuspension(event.output)) {
      conversation.settle(info, event.output);
      void teller.call('onToolResult', { ...info, output: event.output });
    }
  }

  return {
    begin({ toolCalls }, turn) {
      const infos = toolCalls.map((call) => ({ ...call, input: readInput(call.input), turn }));
      for (const info of infos) calls.set(info.toolCallId, info);
      return infos;
    },
    clear() {
      for (const known of [calls, invalid, thrown]) known.clear();
    },
    stop: tree.log.listen((event) => {
      if (event.agent === path) hear(event);
    }),
  };
}

/** What a tool threw, where the log may say the same of it; otherwise what the log says, which has no keys. */
function errorOf(thrown: unknown, logged: string): Error {
  return thrown instanceof Error && logged.endsWith(thrown.message) ? thrown : new Error(logged);
}
