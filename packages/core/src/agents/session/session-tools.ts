import type { ToolSet } from 'ai';
import { anySignal } from '../../base/any-signal.ts';
import type { Prompt } from '../../prompt/prompt.ts';
import { isStreaming, lastOutput } from '../../tools/tool-callbacks.ts';
import { toSchema } from '../../tools/schema.ts';
import type { ToolContext, ToolOptions, ToolSchema } from '../../tools/tool-definition.ts';
import { toModelOutput } from '../../messages/tool-output.ts';
import { defineTool } from '../../prompt/define-tool.ts';
import type { NamedTool } from '../../tools/tool.ts';
import { splitTools, type ToolList } from '../../tools/tool-list.ts';
import { bindAgentContext, agentContextOf } from '../../tool-calls/bind-agent-context.ts';
import { timeLimit, untilAborted } from '../../base/until-aborted.ts';
import type { SessionTools } from './session-config.ts';
import { isSuspension } from '../../tools/suspend.ts';

type Ready = ToolSet[string];
type Execute = (args: unknown, context: ToolContext) => unknown;

/** A session's tools as a run takes them. */
export type ReadyTools = {
  ready: ToolSet;
  define(prompt: Prompt): void;
  /** Errors that calls have thrown, by id. */
  thrown: Map<string, unknown>;
};

/** Reads a session's tools. `timeoutMs` is the time limit of tools without their own. */
export function readTools(tools: SessionTools = {}, timeoutMs: number | undefined): ReadyTools {
  const thrown = new Map<string, unknown>();
  const { ready, own } = splitTools(tools as ToolList);
  return {
    ready: Object.fromEntries(
      Object.entries(ready).map(([name, tool]) => [name, toReady(name, tool, timeoutMs, thrown)]),
    ),
    define: (prompt) => own.forEach((tool) => define(prompt, tool, timeoutMs, thrown)),
    thrown,
  };
}

function define(
  prompt: Prompt,
  tool: NamedTool,
  timeoutMs: number | undefined,
  thrown: Map<string, unknown>,
): void {
  // the session's time limit is for tools that run here, not for a person
  if (!('fn' in tool)) return defineTool(prompt, tool);
  const { name, description, schema, fn, options } = tool;
  const rules = (options ?? {}) as ToolOptions;
  if (isStreaming(fn)) {
    const limited = timeoutMs === undefined ? rules : { timeoutMs, ...rules };
    prompt.defTool(name, description, schema, fn as Execute, limited);
    return;
  }
  const ms = rules.timeoutMs === undefined ? timeoutMs : undefined;
  prompt.defTool(name, description, schema, watched(name, fn as Execute, ms, thrown), rules);
}

function toReady(
  name: string,
  tool: Ready,
  timeoutMs: number | undefined,
  thrown: Map<string, unknown>,
): Ready {
  const { execute, inputSchema, toModelOutput: own } = tool;
  if (execute === undefined) return tool;
  return {
    ...tool,
    inputSchema: toSchema(name, inputSchema as ToolSchema),
    // the run passes the same context to the AI SDK's tools as to all others
    execute: (isStreaming(execute) ? watchedStream : watched)(
      name,
      execute as Execute,
      timeoutMs,
      thrown,
    ) as NonNullable<Ready['execute']>,
    ...(own === undefined
      ? {}
      : {
          // the tool's own output is not for a result that is still to come
          toModelOutput: (result: Parameters<typeof own>[0]) =>
            isSuspension(result.output) ? toModelOutput(result.output) : own(result),
        }),
  };
}

/**
 * Returns a tool's function that notes what it throws and has a time limit, which also ends a function that ignores
 * its signal.
 */
function watched(
  name: string,
  run: Execute,
  timeoutMs: number | undefined,
  thrown: Map<string, unknown>,
): Execute {
  return async (args, context) => {
    const limit = timeoutMs === undefined ? undefined : timeLimit(name, timeoutMs);
    try {
      const own = limit === undefined ? context : within(context, limit.signal);
      return await untilAborted(lastOutput(run(args, own)), limit && own.abortSignal);
    } catch (error) {
      thrown.set(context.toolCallId, error);
      throw error;
    } finally {
      limit?.clear();
    }
  };
}

/** Does the same for a tool with several outputs. Its time begins when it starts to work. */
function watchedStream(
  name: string,
  run: Execute,
  timeoutMs: number | undefined,
  thrown: Map<string, unknown>,
): Execute {
  return async function* (args, context): AsyncGenerator<unknown, void, undefined> {
    const limit = timeoutMs === undefined ? undefined : timeLimit(name, timeoutMs);
    const own = limit === undefined ? context : within(context, limit.signal);
    const outputs = run(args, own) as AsyncGenerator<unknown, unknown, undefined>;
    try {
      for (;;) {
        const { done, value } = await untilAborted(outputs.next(), limit && own.abortSignal);
        if (done === true) return;
        yield value;
      }
    } catch (error) {
      thrown.set(context.toolCallId, error);
      throw error;
    } finally {
      limit?.clear();
      // the function may be stuck
      outputs.return(undefined).catch(() => {});
    }
  };
}

/** Returns the context of a call with one more signal. */
function within(context: ToolContext, signal: AbortSignal): ToolContext {
  const own: ToolContext = { ...context, abortSignal: anySignal(signal, context.abortSignal) };
  const agentContext = agentContextOf(context);
  return agentContext === undefined ? own : bindAgentContext(own, agentContext);
}
