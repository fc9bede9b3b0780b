import type { NamedTool, ToolContext, ToolList } from '@cueline/core';
import type { ToolSet } from 'ai';
import type { DefinitionReporter } from './report-definitions.ts';

/** The observers of a script. */
export type ScriptWatcher = {
  /** Which line makes each definition. */
  definitions: DefinitionReporter;
  /** Sends all events so far to the page, before code of the script runs that may never return. */
  settle: () => Promise<void>;
  /**
   * Called with the error of the prompt function or, with an id, with the error of a tool call; after a tool's error
   * the run continues.
   */
  onError: (error: unknown, toolCallId?: string) => void;
};

export type ToolFunction = (args: unknown, context: ToolContext) => unknown;

/** The same tools, with observed functions; a tool that is already observed is unchanged. */
export type ToolWatcher = {
  fn(call: ToolFunction): ToolFunction;
  /** A list of tools and tool sets, or one tool set. */
  list<Tools extends ToolList>(tools: Tools): Tools;
  /** Tools of the AI SDK by their names. */
  byName(tools: ToolSet): ToolSet;
};

const watchedAlready = new WeakSet<ToolFunction>();

export function createToolWatcher({
  settle,
  onError,
}: Pick<ScriptWatcher, 'settle' | 'onError'>): ToolWatcher {
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

  // a tool may have no function, and a script may pass anything
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
    // the output has the type of the input
    list: <Tools extends ToolList>(tools: Tools) =>
      (Array.isArray(tools) ? tools.map(watchEntry) : byName(tools as ToolSet)) as Tools,
    byName,
  };
}

function isGeneratorFunction(fn: unknown): boolean {
  return Object.prototype.toString.call(fn) === '[object AsyncGeneratorFunction]';
}

/**
 * What a plain function returned. For an async iterable, its last value, which the AI SDK takes as the tool's result.
 */
async function lastOf(output: unknown): Promise<unknown> {
  if (typeof output !== 'object' || output === null || !(Symbol.asyncIterator in output)) return output;
  let last: unknown;
  for await (last of output as AsyncIterable<unknown>);
  return last;
}
