import type { RunEvent } from '../../log/events.ts';
import type { AgentContext } from '../../tool-calls/run-context.ts';
import type { ModelResponse } from '../../provider/with-retries.ts';
import { readInput } from './answer-message.ts';
import type { SessionConversation } from './session-conversation.ts';
import type { ToolCallInfo } from './session-callbacks.ts';
import { isSuspension } from '../../tools/suspend.ts';
import type { SessionReporter } from './session-reporter.ts';

/** Follows the calls of a turn in the log. Tools end in any order, and are reported in that order. */
export type ToolCallTracker = {
  /** Adds the calls of an answer, which are about to run. */
  begin(answer: ModelResponse, turn: number): ToolCallInfo[];
  /** Called at the end of a turn. */
  clear(): void;
  stop(): void;
};

/** `thrown` has the errors that tools have thrown, by their calls' ids. */
export function trackToolCalls(
  { runContext, path }: AgentContext,
  conversation: SessionConversation,
  reporter: SessionReporter,
  thrown: Map<string, unknown>,
): ToolCallTracker {
  const calls = new Map<string, ToolCallInfo>();
  /** Calls that cannot run. */
  const invalid = new Set<string>();

  function onEvent(event: RunEvent): void {
    if (event.type === 'tool-input-end' && event.invalid !== undefined) invalid.add(event.toolCallId);
    if (event.type !== 'tool-end' && event.type !== 'tool-error') return;
    const { toolCallId } = event;
    const info = calls.get(toolCallId);
    if (info === undefined) return;
    if (event.type === 'tool-error') {
      conversation.addError(info, event.error);
      const phase = invalid.has(toolCallId) ? 'tool_parsing' : 'tool_execution';
      void reporter.fail({ ...info, phase, error: errorOf(thrown.get(toolCallId), event.error) });
    } else if (!isSuspension(event.output)) {
      conversation.addResult(info, event.output);
      void reporter.call('onToolResult', { ...info, output: event.output });
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
    stop: runContext.log.listen((event) => {
      if (event.agent === path) onEvent(event);
    }),
  };
}

/**
 * Returns the error that a tool threw, if the log may contain its text; otherwise the logged one, which has no keys.
 */
function errorOf(thrown: unknown, logged: string): Error {
  return thrown instanceof Error && logged.endsWith(thrown.message) ? thrown : new Error(logged);
}
