import type { NamedTool, ToolContext, ToolList } from '@cueline/core';
import type { ToolSet } from 'ai';

/** Who is told of what happens in a script. */
export type ScriptWatcher = {
  /** Lets the page see what has happened so far, before code of the script runs that may never return. */
  settle: () => Promise<void>;
  /** Told of what the prompt function threw; with an id, of what a tool threw, after which the run goes on. */
  onError: (error: unknown, toolCallId?: string) => void;
};

export type ToolFunction = (args: unknown, context: ToolContext) => unknown;

/** The same tools, whose functions are watched; one that is watched already stays as it is. */
export type ToolWatcher = {
  fn(call: ToolFunction): ToolFunction;
  /** A list of tools and tool sets, or one tool set. */
  list<Tools extends ToolList>(tools: Tools): Tools;
  /** Tools of the AI SDK by their names. */
  byName(tools: ToolSet): ToolSet;
};

const watchedAlready = new WeakSet<ToolFunction>();

export function createToolWatcher({ settle, onError }: ScriptWatcher): ToolWatcher {
  function fn(call: ToolFunction): ToolFunction {
    if (watchedAlready.has(call)) return call;
    const watched = isGeneratorFunction(call) ? watchGenerator(call) : watchFunction(call);
    watchedAlready.add(watched);
    return watched;
  }

  function watchGenerator(call: ToolFunction): ToolFunction {
    return async function* (args, context) {
      await settle();
      try {
        yield* call(args, context) as AsyncIterable<unknown>;
      } catch (error) {
        onError(error, context.toolCallId);
        throw error;
      }
    };
  }

  function watchFunction(call: ToolFunction): ToolFunction {
    return async (args, context) => {
      await settle();
      try {
        return await lastOf(await call(args, context));
      } catch (error) {
        onError(error, context.toolCallId);
        throw error;
      }
    };
  }

  // a tool may have no function, and a script may give anything
  function ready<Ready extends ToolSet[string]>(tool: Ready): Ready {
    return typeof tool?.execute === 'function'
      ? { ...tool, execute: fn(tool.execute as ToolFunction) as never }
      : tool;
  }

  function byName(tools: ToolSet): ToolSet {
    return Object.fromEntries<ToolSet[string]>(
      Object.entries(tools).map(([name, tool]) => [name, ready(tool)]),
    );
  }

  function watchEntry(given: NamedTool | ToolSet): NamedTool | ToolSet {
    if (typeof given !== 'object' || given === null) return given;
    if (given['kind'] !== 'tool') return byName(given as ToolSet);
    const named = given as NamedTool;
    if (named.ready !== undefined) return { ...named, ready: ready(named.ready as ToolSet[string]) as never };
    return typeof named.fn === 'function' ? { ...named, fn: fn(named.fn as ToolFunction) } : named;
  }

  return {
    fn,
    // what comes out has the type of what went in
    list: <Tools extends ToolList>(tools: Tools) =>
      (Array.isArray(tools) ? tools.map(watchEntry) : byName(tools as ToolSet)) as Tools,
    byName,
  };
}

function isGeneratorFunction(fn: unknown): boolean {
  return Object.prototype.toString.call(fn) === '[object AsyncGeneratorFunction]';
}

/** What a plain function returned; of an async iterable its last value, which is the tool's result to the AI SDK. */
async function lastOf(output: unknown): Promise<unknown> {
  if (typeof output !== 'object' || output === null || !(Symbol.asyncIterator in output)) return output;
  let last: unknown;
  for await (last of output as AsyncIterable<unknown>);
  return last;
}
