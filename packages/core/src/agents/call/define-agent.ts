import type { LoopPolicySetup } from '../../engine/loop-policy.ts';
import type { ToolCallState } from '../../log/state.ts';
import { checkName } from '../../prompt/check-name.ts';
import type { PromptWithSchema } from '../../prompt/define-prompt.ts';
import type { TypesOf } from '../../prompt/types-of.ts';
import { splitTools } from '../../tools/named-tools.ts';
import type { ToolSchema } from '../../tools/schema.ts';
import type { AgentConfig, AgentTools, OnlyKnown, OutputOf } from './agent-config.ts';
import type {
  Agent,
  AgentClassifyOptions,
  AgentInput,
  AgentTypes,
  CallOptions,
  ClassifyOptions,
} from './agent.ts';
import { classify, classifyBinary } from './classify.ts';
import { loadCall } from './load-call.ts';

/**
 * The input that a route accepts for an agent: a list of parts from a client could name any file. Code may pass a
 * list.
 */
const textInput: ToolSchema = {
  '~standard': {
    version: 1,
    vendor: 'cueline',
    validate: (value: unknown) =>
      typeof value === 'string' ? { value } : { issues: [{ message: 'Expected a string' }] },
  },
};

/** The type of an agent's answers. */
type AnswerOf<Config extends AgentConfig> = 'output' extends keyof Config
  ? Config extends { readonly output: infer Output }
    ? OutputOf<Output>
    : unknown
  : string;

/** The type of its tool calls. */
type CallsOf<Config extends AgentConfig> = Config extends { readonly tools: AgentTools }
  ? TypesOf<Pick<Config, 'tools'>>['toolCall']
  : ToolCallState;

/**
 * Defines an agent: its instructions, its tools and the form of its answers. A call of it continues until there is a
 * valid answer, or rejects with the reason why there is none; with `invalid_definition` where the config cannot be an
 * agent's.
 *
 * @example
 * const geographer = defineAgent({
 *   name: 'geographer',
 *   instructions: 'You know every capital.',
 *   model: 'openai:gpt-4o',
 *   output: tags(['answer']),
 * });
 * const { output } = await geographer.call('What is the capital of Portugal?');
 * console.log(output.answer);
 */
export function defineAgent<const Config extends AgentConfig>(
  config: Config & OnlyKnown<Config>,
): Agent<AnswerOf<Config>, CallsOf<Config>> {
  // the rest is checked when its first call begins, by code that is loaded then
  const given = config as Partial<AgentConfig> | undefined;
  checkName('An agent', given?.name, "defineAgent({ name: 'editor', instructions: '…' })");
  // the types of its output and tools are those of its calls
  type Types = AgentTypes<AnswerOf<Config>, CallsOf<Config>>;
  const { name, model, tools, instructions } = config;
  const policySetup = async (
    input: AgentInput,
    options: Pick<CallOptions, 'dialog'> = {},
  ): Promise<LoopPolicySetup> => (await loadCall()).prepareCall(config, input, options);
  const definition: PromptWithSchema<AgentInput, Types> = {
    kind: 'prompt',
    name,
    // a call adds everything that it sends
    run: () => {},
    policySetup,
    input: textInput,
    ...(model === undefined ? {} : { model }),
    ...(tools === undefined ? {} : { tools: splitTools(tools).own }),
  };
  const classifier = (options: AgentClassifyOptions = {}): ClassifyOptions => ({
    ...options,
    instructions,
    model: options.model ?? model,
    options: options.options ?? config.options,
  });
  return {
    ...definition,
    call: async (input, options) => (await loadCall()).callAgent(config, definition, input, options),
    prompt(input, options) {
      const { input: _, ...rest } = definition;
      return { ...rest, run: () => {}, policySetup: () => policySetup(input, options) };
    },
    classify: (input, labels, options) => classify(input, labels, classifier(options)),
    classifyBinary: (question, options) => classifyBinary(question, classifier(options)),
  };
}
