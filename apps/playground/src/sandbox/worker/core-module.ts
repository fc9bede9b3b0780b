import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as core from '@cueline/core';
import * as agents from '@cueline/core/agents';
import { createToolWatcher, type ScriptWatcher } from './watch-tools.ts';

type CallOptions = Pick<agents.CallOptions, 'model' | 'context'>;

/**
 * Returns what a script imports as `@cueline/core`. It is the same as the package, except that runs which the script
 * starts use the page's model, unless they have a model object of their own, such as a scripted one.
 */
export function coreModule(model: LanguageModelV4): typeof core {
  function runPrompt(
    source: core.PromptFunction,
    config: core.PromptConfig = {},
  ): Promise<core.RunPromptResult> {
    return core.runPrompt(source, { ...config, model: objectModel(config.model) ?? model });
  }

  // the editor has the exact types
  return { ...core, runPrompt: runPrompt as typeof core.runPrompt };
}

/**
 * Returns what a script imports as `@cueline/core/agents`, with the page's model in the same way. The tools of its
 * agents are watched.
 */
export function agentsModule(model: LanguageModelV4, watcher: ScriptWatcher): typeof agents {
  const watched = createToolWatcher(watcher);

  function watchTools<Tools extends agents.AgentTools | undefined>(tools: Tools): Tools {
    return typeof tools === 'object' && tools !== null ? (watched.list(tools) as Tools) : tools;
  }

  /** A call inside a run uses that run's model unless it has its own. */
  function callOptions<Options extends CallOptions>(options: Options, own?: Options['model']): Options {
    const given = objectModel(options?.model) ?? own;
    return { ...options, model: given ?? (options?.context === undefined ? model : undefined) };
  }

  function defineAgent(config: agents.AgentConfig): agents.Agent {
    const own = objectModel(config?.model);
    const agent = agents.defineAgent({ ...config, model: own, tools: watchTools(config?.tools) });
    return {
      ...agent,
      call: (input, options = {}) => agent.call(input, callOptions(options, own)),
      classify: (input, labels, options = {}) => agent.classify(input, labels, callOptions(options, own)),
      classifyBinary: (question, options = {}) => agent.classifyBinary(question, callOptions(options, own)),
    };
  }

  return {
    ...agents,
    // the editor has the exact types
    defineAgent: defineAgent as typeof agents.defineAgent,
    runAgentSession: (given, config) => agents.runAgentSession(objectModel(given) ?? model, config),
    classify: (input, labels, options) => agents.classify(input, labels, callOptions(options)),
    classifyBinary: (question, options) => agents.classifyBinary(question, callOptions(options)),
  };
}

/** Returns a model object that the script has created. A model name is not resolved in the sandbox. */
function objectModel(model: unknown): LanguageModelV4 | undefined {
  const isModel = typeof model === 'object' && model !== null && 'specificationVersion' in model;
  return isModel ? (model as LanguageModelV4) : undefined;
}
