import {
  CuelineError,
  type AgentOptions,
  type Hook,
  type NamedTool,
  type Plugin,
  type Prompt,
  type PromptDefinition,
  type ToolContext,
} from '@cueline/core';
import { describeError } from './describe-error.ts';

/** Who is told of what happens in a script. */
export type ScriptWatcher = {
  /** Lets the page see what has happened so far, before code of the script runs that may never return. */
  settle: () => Promise<void>;
  /** Told of what the prompt function threw; with an id, of what a tool threw, after which the run goes on. */
  onError: (error: unknown, toolCallId?: string) => void;
};

type ToolFunction = (args: unknown, context: ToolContext) => unknown;
type DefineTool = (name: string, description: string, schema: unknown, ...rest: unknown[]) => void;
type DefineAgent = (
  name: string,
  description: string,
  schema: unknown,
  fn: unknown,
  options?: AgentOptions,
) => void;

/**
 * The same prompt, whose plugins, tools and agents are watched, and whose model calls all go to the model that the
 * person picked, whatever the script says.
 */
export function watchDefinition(
  definition: PromptDefinition<unknown>,
  watcher: ScriptWatcher,
): PromptDefinition<unknown> {
  const { model: _model, ...rest } = definition;
  const watched = createPromptWatcher(watcher);
  return {
    ...rest,
    ...(rest.plugins === undefined ? {} : { plugins: rest.plugins.map(watched.plugin) }),
    async run(prompt, input) {
      watched.prompt(prompt);
      try {
        await definition.run(prompt, input);
      } catch (error) {
        watcher.onError(error);
        throw CuelineError.isInstance(error)
          ? error
          : new CuelineError('script_error', describeError(error), { cause: error });
      }
    },
  };
}

function createPromptWatcher({ settle, onError }: ScriptWatcher): {
  prompt: (prompt: Prompt) => void;
  plugin: <One extends Plugin>(plugin: One) => One;
} {
  const seen = new WeakSet<Prompt>();

  function watchPrompt(prompt: Prompt): void {
    if (seen.has(prompt)) return;
    seen.add(prompt);
    // overloads and generics are for whoever writes a script; here everything is handed on as it came
    const defTool = prompt.defTool.bind(prompt) as DefineTool;
    const defAgent = prompt.defAgent.bind(prompt) as unknown as DefineAgent;
    const defHook = prompt.defHook.bind(prompt);
    const own: { defTool: DefineTool; defAgent: DefineAgent; defHook: (hook: Hook) => void } = {
      defTool(name, description, schema, fn, ...more) {
        if (Array.isArray(schema)) return defTool(name, description, schema.map(watchSubTool), fn, ...more);
        const watched = typeof fn === 'function' ? watchTool(fn as ToolFunction) : fn;
        defTool(name, description, schema, watched, ...more);
      },
      defAgent(name, description, schema, fn, options) {
        defAgent(name, description, schema, watchAgent(fn), options && withoutModel(options, watchPlugin));
      },
      defHook: (hook) => defHook(typeof hook === 'function' ? watchHook(hook) : hook),
    };
    Object.assign(prompt, own);
  }

  function watchPlugin<One extends Plugin>(plugin: One): One {
    const { setup } = plugin;
    if (typeof setup !== 'function') return plugin;
    return {
      ...plugin,
      setup(prompt: Prompt) {
        watchPrompt(prompt);
        return setup(prompt);
      },
    };
  }

  function watchAgent(fn: unknown): unknown {
    if (typeof fn !== 'function') return fn;
    return (args: unknown, prompt: Prompt): unknown => {
      watchPrompt(prompt);
      return fn(args, prompt);
    };
  }

  function watchTool(call: ToolFunction): ToolFunction {
    if (isGeneratorFunction(call)) {
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

  function watchSubTool(named: NamedTool): NamedTool {
    if (typeof named?.fn !== 'function') return named;
    return { ...named, fn: watchTool(named.fn as ToolFunction) };
  }

  return { prompt: watchPrompt, plugin: watchPlugin };
}

/** An agent's options without a model by name, which only the page could reach; its plugins are watched. */
function withoutModel(
  options: AgentOptions,
  watchPlugin: <One extends Plugin>(plugin: One) => One,
): AgentOptions {
  const { model, plugins, ...rest } = options;
  return {
    ...rest,
    ...(typeof model === 'object' ? { model } : {}),
    ...(Array.isArray(plugins) ? { plugins: plugins.map(watchPlugin) } : {}),
  };
}

/** The same hook, except that a step's model stays the one that the person picked. */
function watchHook(hook: Hook): Hook {
  return async (step) => {
    const result = await hook(step);
    if (typeof result?.model !== 'string') return result;
    const { model: _model, ...rest } = result;
    return rest;
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
