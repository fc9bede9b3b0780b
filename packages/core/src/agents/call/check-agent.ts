import { checkNames } from '../../base/check-names.ts';
import { isRecord } from '../../base/is-record.ts';
import { quoteValue } from '../../base/quote-value.ts';
import { inOptions, optionNames } from '../../prompt/option-names.ts';
import { isToolList } from '../../tools/tool-list.ts';
import { isTags } from '../tags/tags.ts';
import { throwFirstIssue } from '../throw-first-issue.ts';
import type { AgentConfig } from './agent-config.ts';
import type { CallLimits } from './call-state.ts';

const names: Record<keyof AgentConfig, true> = {
  name: true,
  instructions: true,
  model: true,
  tools: true,
  output: true,
  onException: true,
  onInterrupt: true,
  maxExceptionRetries: true,
  maxInterrupts: true,
  limits: true,
  options: true,
};

/** Options that belong elsewhere, and where. */
const elsewhere: Readonly<Record<string, string>> = {
  plugins: 'Put what the plugin adds into its instructions and tools.',
  messages: 'Give the call a dialog: agent.call(input, { dialog }).',
  abortSignal: 'Give the call a signal: agent.call(input, { signal }).',
  limits: 'limits are not an option of the model call. Write defineAgent({ limits: { … } }).',
  output: 'output is not an option of the model call. Write defineAgent({ output: … }).',
  tools: 'tools are not an option of the model call. Write defineAgent({ tools: [ … ] }).',
};

/** The options that an agent's model calls can have. */
const callOptionNames = optionNames.filter((name) => !Object.hasOwn(elsewhere, name));

/** Checks an agent's configuration, when its first call begins. @throws CuelineError `invalid_definition` */
export function checkAgent(config: AgentConfig): void {
  const { name, options } = config;
  checkNames(`Agent "${name}"`, config, Object.keys(names), 'invalid_definition', (key) =>
    inOptions('defineAgent(', key, callOptionNames),
  );
  throwFirstIssue('invalid_definition', issuesOf(config));
  checkNames(`options of agent "${name}"`, options, callOptionNames, 'invalid_definition', (key) =>
    Object.hasOwn(elsewhere, key)
      ? `options of agent "${name}" cannot have ${key}. ${elsewhere[key]}`
      : undefined,
  );
}

function* issuesOf(config: AgentConfig): Generator<string> {
  const { name, instructions, tools = [], onException, onInterrupt, options } = config;
  if (typeof instructions !== 'string' || instructions.trim() === '') {
    yield `Agent "${name}" needs instructions: { instructions: 'You edit texts.' }.`;
  }
  if (!isToolList(tools)) {
    yield `The tools of agent "${name}" must be a list of what tool(…) returns, or the AI SDK's tools by name: { tools: [tool('search', 'what it does', z.object({ … }), async (args) => …)] }.`;
  }
  if (!isOutput(config.output)) {
    yield `The output of agent "${name}" must be a schema, tags(['answer']) or a function that reads the text. For the text itself, leave output out.`;
  }
  for (const [key, handler] of Object.entries({ onException, onInterrupt })) {
    const isText = typeof handler === 'string' && handler.trim() !== '';
    if (handler === undefined || typeof handler === 'function' || isText) continue;
    yield `${key} of agent "${name}" is ${quoteValue(handler)}. Write a string, or a function that returns one.`;
  }
  for (const [key, value] of Object.entries(callLimits(config))) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    yield `${key} of agent "${name}" is ${quoteValue(value)}. Give a whole number of at least 0.`;
  }
  if (options !== undefined && !isRecord(options)) {
    yield `The options of agent "${name}" are ${quoteValue(options)}. Write { … }, or leave them out.`;
  }
}

/** Returns how many unusable answers and rounds of tool calls an agent's calls may have. */
export function callLimits({ maxExceptionRetries = 3, maxInterrupts = 5 }: AgentConfig): CallLimits {
  return { maxExceptionRetries, maxInterrupts };
}

function isOutput(config: unknown): boolean {
  if (config === undefined || typeof config === 'function') return true;
  if (!isRecord(config)) return false;
  if (!isTags(config)) return true;
  // tags that were written as an object have not been checked
  const { required, optional, lists, markdown } = config;
  return [required, optional, lists, markdown].every(Array.isArray);
}
