import type { LanguageModelV4 } from '@ai-sdk/provider';
import * as core from '@cueline/core';
import { createToolWatcher, type ScriptWatcher } from './watch-tools.ts';

type CallOptions = Pick<core.CallOptions, 'model' | 'context'>;

/**
 * What a script gets for `@cueline/core`. The same, except that what it starts or calls by itself goes through the page's
 * model too, unless it brings a model object such as a scripted one; and that the tools of its agents are watched.
 */
export function coreModule(model: LanguageModelV4, watcher: ScriptWatcher): typeof core {
  const watched = createToolWatcher(watcher);

  function watchTools<Tools extends core.AgentTools | undefined>(tools: Tools): Tools {
    if (Array.isArray(tools)) return tools.map(watched.named) as readonly core.NamedTool[] as Tools;
    return typeof tools === 'object' && tools !== null ? (watched.byName(tools as never) as Tools) : tools;
  }

  /** A call inside of a run has that run's model where it says nothing. */
  function callOptions<Options extends CallOptions>(options: Options, own?: Options['model']): Options {
    const given = objectModel(options?.model) ?? own;
    return { ...options, model: given ?? (options?.context === undefined ? model : undefined) };
  }

  function defineAgent(config: core.AgentConfig): core.Agent {
    const own = objectModel(config?.model);
    const agent = core.defineAgent({ ...config, model: own, tools: watchTools(config?.tools) });
    return {
      ...agent,
      call: (input, options = {}) => agent.call(input, callOptions(options, own)),
      classify: (input, labels, options = {}) => agent.classify(input, labels, callOptions(options, own)),
      classifyBinary: (question, options = {}) => agent.classifyBinary(question, callOptions(options, own)),
    };
  }

  function runPrompt(
    source: core.PromptFunction,
    config: core.PromptConfig = {},
  ): Promise<core.RunPromptResult> {
    return core.runPrompt(source, { ...config, model: objectModel(config.model) ?? model });
  }

  return {
    ...core,
    // what is known of their types, the editor tells
    runPrompt: runPrompt as typeof core.runPrompt,
    defineAgent: defineAgent as typeof core.defineAgent,
    runAgentSession: (given, config) => core.runAgentSession(objectModel(given) ?? model, config),
    classify: (input, labels, options) => core.classify(input, labels, callOptions(options)),
    classifyBinary: (question, options) => core.classifyBinary(question, callOptions(options)),
  };
}

/** A model that a script has made itself. One by its name only the page could reach. */
function objectModel(model: unknown): LanguageModelV4 | undefined {
  const isModel = typeof model === 'object' && model !== null && 'specificationVersion' in model;
  return isModel ? (model as LanguageModelV4) : undefined;
}
