import {
  CuelineError,
  type AgentOptions,
  type Hook,
  type Plugin,
  type Prompt,
  type PromptDefinition,
  type PromptOptions,
  type ToolContext,
} from '@cueline/core';
import type { ToolSet } from 'ai';
import { describeError } from './describe-error.ts';
import { definitionsOf, reportPrompt } from './report-prompt.ts';
import { createToolWatcher, type ScriptWatcher, type ToolFunction, type ToolWatcher } from './watch-tools.ts';

type DefineTool = (name: string, description: unknown, schema?: unknown, ...rest: unknown[]) => void;
type DefineAgent = (
  name: string,
  description: string,
  schema: unknown,
  fn: unknown,
  options?: AgentOptions,
) => void;

type PolicyDefinition = NonNullable<PromptDefinition<unknown>['policySetup']>;

/** The parts of a session or an agent call that come from the script. */
type PolicySetup = {
  options: Pick<PromptOptions, 'tools'>;
  define?: (prompt: Prompt) => void | Promise<void>;
};

/**
 * The same prompt, with observed plugins, tools and agents. All model calls use the user's model, even if the script
 * names another one.
 */
export function watchDefinition(
  definition: PromptDefinition<unknown>,
  watcher: ScriptWatcher,
): PromptDefinition<unknown> {
  const { model: _model, ...rest } = definition;
  const { policySetup } = definition;
  const watched = createPromptWatcher(watcher);
  watcher.definitions.reportTools(rest.tools);
  /** Calls a function of the script. An error that it throws is reported, and ends the run as a script error. */
  const making = async <Value>(make: () => Value | Promise<Value>): Promise<Value> => {
    try {
      return await make();
    } catch (error) {
      watcher.onError(error);
      throw CuelineError.isInstance(error)
        ? error
        : new CuelineError('script_error', describeError(error), { cause: error });
    }
  };
  return {
    ...rest,
    ...(rest.plugins === undefined ? {} : { plugins: rest.plugins.map((plugin) => watched.plugin(plugin)) }),
    ...(rest.tools === undefined ? {} : { tools: watched.tools.list(rest.tools) }),
    run(prompt, ...rest) {
      watched.prompt(prompt);
      return making(() => definition.run(prompt, ...rest));
    },
    ...(policySetup === undefined ? {} : { policySetup: watchPolicy(policySetup, watched, making) }),
  };
}

/** A session or an agent call: its tools belong to the script, too. */
function watchPolicy(
  policySetup: PolicyDefinition,
  watched: PromptWatcher,
  making: <Value>(make: () => Value | Promise<Value>) => Promise<Value>,
): PolicyDefinition {
  return async (input) => {
    const { options, define, ...rest } = (await making(() => policySetup(input))) as PolicySetup;
    const { tools } = options;
    return {
      ...rest,
      options: tools === undefined ? options : { ...options, tools: watched.tools.byName(tools) },
      async define(prompt: Prompt) {
        watched.prompt(prompt);
        await making(() => define?.(prompt));
      },
    };
  };
}

/** `agent`: the names of the agents around the prompt, joined with `/`. */
type PromptWatcher = {
  prompt: (prompt: Prompt, agent?: string) => void;
  plugin: <One extends Plugin>(plugin: One, agent?: string) => One;
  tools: ToolWatcher;
};

function createPromptWatcher(watcher: ScriptWatcher): PromptWatcher {
  const { definitions } = watcher;
  const tools = createToolWatcher(watcher);
  const seen = new WeakSet<Prompt>();

  function watchPrompt(prompt: Prompt, agent?: string): void {
    if (seen.has(prompt)) return;
    seen.add(prompt);
    reportPrompt(prompt, definitions, agent);
    // overloads and generics help the author of a script; here the values are passed on unchanged
    const defTool = prompt.defTool.bind(prompt) as DefineTool;
    const defAgent = prompt.defAgent.bind(prompt) as unknown as DefineAgent;
    const defHook = prompt.defHook.bind(prompt);
    const defTools = prompt.defTools.bind(prompt);
    const own: Pick<Prompt, 'defTools' | 'defHook'> & { defTool: DefineTool; defAgent: DefineAgent } = {
      defTools: (list) =>
        definitions.during(
          () => definitions.reportTools(list, agent),
          () => defTools(typeof list === 'object' && list !== null ? tools.list(list) : list),
        ),
      defTool(name, description, schema, ...rest) {
        const report = (): void => {
          definitions.report('tool', name, agent);
          if (Array.isArray(schema)) definitions.reportTools(schema, agent, name);
        };
        definitions.during(report, () => {
          if (typeof description === 'object') {
            return defTool(name, tools.byName({ [name]: description as ToolSet[string] })[name]);
          }
          if (Array.isArray(schema)) return defTool(name, description, tools.list(schema), ...rest);
          const [fn, ...more] = rest;
          // a function that is left out stays left out: the tool is a client tool
          return typeof fn === 'function'
            ? defTool(name, description, schema, tools.fn(fn as ToolFunction), ...more)
            : defTool(name, description, schema, ...rest);
        });
      },
      defAgent(name, description, schema, fn, options) {
        const path = agent === undefined ? name : `${agent}/${name}`;
        definitions.during(
          () => definitions.report('agent', name, agent),
          () =>
            defAgent(name, description, schema, watchAgent(fn, path), options && watchOptions(options, path)),
        );
      },
      defHook: (hook) =>
        definitions.during(
          () => definitions.report('hook', `hooks[${definitionsOf(prompt).hooks.length}]`, agent),
          () => defHook(typeof hook === 'function' ? watchHook(hook) : hook),
        ),
    };
    Object.assign(prompt, own);
  }

  function watchPlugin<One extends Plugin>(plugin: One, agent?: string): One {
    const { setup } = plugin;
    if (typeof setup !== 'function') return plugin;
    return {
      ...plugin,
      setup(prompt: Prompt) {
        watchPrompt(prompt, agent);
        return setup(prompt);
      },
    };
  }

  function watchAgent(fn: unknown, path: string): unknown {
    if (typeof fn !== 'function') return fn;
    return (args: unknown, prompt: Prompt, context: ToolContext): unknown => {
      watchPrompt(prompt, path);
      return fn(args, prompt, context);
    };
  }

  /** An agent's options without a model name, which only the page could resolve. */
  function watchOptions(
    { model, plugins, tools: ready, ...options }: AgentOptions,
    path: string,
  ): AgentOptions {
    definitions.reportTools(ready, path);
    return {
      ...options,
      ...(typeof model === 'object' ? { model } : {}),
      ...(Array.isArray(plugins) ? { plugins: plugins.map((plugin) => watchPlugin(plugin, path)) } : {}),
      ...(ready === undefined ? {} : { tools: tools.byName(ready) }),
    };
  }

  return { prompt: watchPrompt, plugin: watchPlugin, tools };
}

/** The same hook, except that a step's model stays the user's. */
function watchHook(hook: Hook): Hook {
  return async (step) => {
    const result = await hook(step);
    if (typeof result?.model !== 'string') return result;
    const { model: _model, ...rest } = result;
    return rest;
  };
}
