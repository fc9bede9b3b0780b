import type { ToolSet } from 'ai';
import type { Prompt } from '../prompt/prompt.ts';
import { isStreaming } from '../prompt/tool-callbacks.ts';
import { toSchema, type ToolContext, type ToolSchema } from '../prompt/tool-definition.ts';
import { toModelOutput } from '../prompt/tool-output.ts';
import type { NamedTool } from '../prompt/tool.ts';
import { placed, speakerOf } from '../run/tool-places.ts';
import { timeLimit, untilAborted } from '../run/until-aborted.ts';
import type { SessionTools } from './session-config.ts';
import { isSuspension } from './suspend.ts';

type Ready = ToolSet[string];
type Execute = (args: unknown, context: ToolContext) => unknown;

/** A session's tools, as a run takes them. */
export type ReadyTools = {
  ready: ToolSet;
  define(prompt: Prompt): void;
  /** How long each tool may take that gives one output after the other. */
  timeouts: Record<string, number> | undefined;
};

/** Reads the tools of a session's config. `timeoutMs` is how long a call may take that says nothing else. */
export function readTools(tools: SessionTools = {}, timeoutMs: number | undefined): ReadyTools {
  if (Array.isArray(tools)) {
    return {
      ready: {},
      timeouts: undefined,
      define(prompt) {
        for (const { name, description, schema, fn, options } of tools as readonly NamedTool[]) {
          const limited = timeoutMs === undefined ? options : { timeoutMs, ...options };
          prompt.defTool(name, description, schema, fn as Execute, limited as object);
        }
      },
    };
  }
  const entries = Object.entries(tools as ToolSet);
  const streaming = entries.filter(([, { execute }]) => execute !== undefined && isStreaming(execute));
  return {
    ready: Object.fromEntries(entries.map(([name, tool]) => [name, toReady(name, tool, timeoutMs)])),
    define: () => {},
    timeouts:
      timeoutMs === undefined || streaming.length === 0
        ? undefined
        : Object.fromEntries(streaming.map(([name]) => [`${name}Ms`, timeoutMs])),
  };
}

function toReady(name: string, tool: Ready, timeoutMs: number | undefined): Ready {
  const { execute, inputSchema, toModelOutput: own } = tool;
  if (execute === undefined) return tool;
  const run = execute as Execute;
  return {
    ...tool,
    inputSchema: toSchema(name, inputSchema as ToolSchema),
    execute: timeoutMs === undefined || isStreaming(execute) ? run : limited(name, run, timeoutMs),
    ...(own === undefined
      ? {}
      : {
          // its own words for a result are none for one that is still to come
          toModelOutput: (result: Parameters<typeof own>[0]) =>
            isSuspension(result.output) ? toModelOutput(result.output) : own(result),
        }),
  };
}

/** The tool with a time limit, which also ends one that does not listen to its signal. */
function limited(name: string, run: Execute, ms: number): Execute {
  return async (args, context) => {
    const limit = timeLimit(name, ms);
    const { abortSignal = limit.signal } = context;
    const own: ToolContext = { ...context, abortSignal: AbortSignal.any([abortSignal, limit.signal]) };
    const speaker = speakerOf(context);
    if (speaker !== undefined) placed(own, speaker);
    try {
      return await untilAborted(Promise.resolve(run(args, own)), limit.signal);
    } finally {
      limit.clear();
    }
  };
}
