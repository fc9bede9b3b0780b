import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as core from '@cueline/core';
import * as agents from '@cueline/core/agents';
import { messageName } from '../script/definition.ts';
import { createToolWatcher, type ScriptWatcher } from './watch-tools.ts';

/** The name of the agent that a call of a classifier is. */
const CLASSIFIER = 'classify';

type CallOptions = Pick<agents.CallOptions, 'model' | 'context'>;

/**
 * Returns what a script imports as `@cueline/core`. It is the package with two differences: runs that the script starts
 * use the page's model, unless they have their own model object, such as a scripted one; and the lines of tools are
 * recorded.
 */
export function coreModule(
  model: LanguageModelV4,
  { definitions }: Pick<ScriptWatcher, 'definitions'>,
): typeof core {
  function runPrompt(
    source: core.PromptFunction,
    config: core.PromptConfig = {},
  ): Promise<core.RunPromptResult> {
    return core.runPrompt(source, { ...config, model: objectModel(config.model) ?? model });
  }

  const tool = (...args: unknown[]): unknown =>
    definitions.made((core.tool as (...given: unknown[]) => unknown)(...args));

  // the editor has the exact types
  return { ...core, runPrompt: runPrompt as typeof core.runPrompt, tool: tool as typeof core.tool };
}

/**
 * Returns what a script imports as `@cueline/core/agents`, with the page's model in the same way. The tools of its
 * agents are watched.
 */
export function agentsModule(model: LanguageModelV4, watcher: ScriptWatcher): typeof agents {
  const watched = createToolWatcher(watcher);
  const { definitions } = watcher;

  function watchTools<Tools extends agents.AgentTools | undefined>(tools: Tools): Tools {
    return typeof tools === 'object' && tools !== null ? (watched.list(tools) as Tools) : tools;
  }

  /** A call inside a run uses that run's model unless it has its own. */
  function callOptions<Options extends CallOptions>(options: Options, own?: Options['model']): Options {
    const given = objectModel(options?.model) ?? own;
    return { ...options, model: given ?? (options?.context === undefined ? model : undefined) };
  }

  function defineAgent(config: agents.AgentConfig): agents.Agent {
    definitions.report('agent', config?.name);
    definitions.reportTools(config?.tools, typeof config?.name === 'string' ? config.name : undefined);
    const own = objectModel(config?.model);
    const agent = agents.defineAgent({ ...config, model: own, tools: watchTools(config?.tools) });
    return {
      ...agent,
      prompt(...args) {
        definitions.report('message', messageName(args[1]?.dialog?.messages.length ?? 0));
        return agent.prompt(...args);
      },
      call: (input, options = {}) => agent.call(input, callOptions(options, own)),
      classify(input, labels, options = {}) {
        definitions.report('agent', CLASSIFIER);
        return agent.classify(input, labels, callOptions(options, own));
      },
      classifyBinary(question, options = {}) {
        definitions.report('agent', CLASSIFIER);
        return agent.classifyBinary(question, callOptions(options, own));
      },
    };
  }

  function defineSession(...[name, settings]: Parameters<typeof agents.defineSession>): unknown {
    definitions.reportTools(settings?.tools);
    return agents.defineSession(name, settings);
  }

  return {
    ...agents,
    // the editor has the exact types
    defineAgent: defineAgent as typeof agents.defineAgent,
    defineSession: defineSession as typeof agents.defineSession,
    runAgentSession: (given, config) => agents.runAgentSession(objectModel(given) ?? model, config),
    classify(input, labels, options) {
      definitions.report('agent', CLASSIFIER);
      return agents.classify(input, labels, callOptions(options));
    },
    classifyBinary(question, options) {
      definitions.report('agent', CLASSIFIER);
      return agents.classifyBinary(question, callOptions(options));
    },
  };
}

/** Returns a model object that the script has created. A model name is not resolved in the sandbox. */
function objectModel(model: unknown): LanguageModelV4 | undefined {
  const isModel = typeof model === 'object' && model !== null && 'specificationVersion' in model;
  return isModel ? (model as LanguageModelV4) : undefined;
}
