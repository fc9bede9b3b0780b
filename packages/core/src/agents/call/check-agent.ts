import { CuelineError } from '../../base/errors.ts';
import { checkNames } from '../../base/check-names.ts';
import { inOptions } from '../../prompt/option-names.ts';
import { isRecord, quoted } from '../../base/part-error.ts';
import { isToolList } from '../../tools/tool-list.ts';
import type { AgentConfig } from './agent-config.ts';
import { callOptionNames } from './call-options.ts';
import { isTags } from '../tags/tags.ts';
import type { CallLimits } from './transitions.ts';

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

/** Checks an agent's configuration, when its first call begins. @throws CuelineError `invalid_definition` */
export function checkAgent(config: AgentConfig): void {
  if (!isRecord(config) || typeof config['name'] !== 'string' || config['name'].trim() === '') {
    throw invalidOptionError("An agent needs a name: defineAgent({ name: 'editor', instructions: '…' }).");
  }
  const { name, instructions, tools, onException, onInterrupt, options } = config;
  checkNames(`Agent "${name}"`, config, Object.keys(names), 'invalid_definition', (key) =>
    inOptions('defineAgent(', key, callOptionNames),
  );
  if (typeof instructions !== 'string' || instructions.trim() === '') {
    throw invalidOptionError(`Agent "${name}" needs instructions: { instructions: 'You edit texts.' }.`);
  }
  checkTools(name, tools);
  checkOutput(name, config.output);
  for (const [key, handler] of Object.entries({ onException, onInterrupt })) {
    if (handler === undefined || typeof handler === 'function') continue;
    if (typeof handler === 'string' && handler.trim() !== '') continue;
    throw invalidOptionError(
      `${key} of agent "${name}" is ${quoted(handler)}. Write a text, or a function that returns one.`,
    );
  }
  callLimits(config);
  if (options !== undefined && !isRecord(options)) {
    throw invalidOptionError(
      `The options of agent "${name}" are ${quoted(options)}. Write { … }, or leave them out.`,
    );
  }
}

/**
 * Returns how many unusable answers and rounds of tool calls an agent's calls may have. @throws CuelineError
 * `invalid_definition`
 */
export function callLimits({
  name,
  maxExceptionRetries = 3,
  maxInterrupts = 5,
}: Pick<AgentConfig, 'name' | 'maxExceptionRetries' | 'maxInterrupts'>): CallLimits {
  const limits = { maxExceptionRetries, maxInterrupts };
  for (const [key, value] of Object.entries(limits)) {
    if (Number.isSafeInteger(value) && value >= 0) continue;
    throw invalidOptionError(`${key} of agent "${name}" is ${quoted(value)}. Give a whole number from 0 on.`);
  }
  return limits;
}

function checkTools(name: string, tools: unknown = []): void {
  if (isToolList(tools)) return;
  throw invalidOptionError(
    `The tools of agent "${name}" are a list of what tool(…) makes, or the AI SDK's tools by their names: { tools: [tool('search', 'what it does', z.object({ … }), async (args) => …)] }.`,
  );
}

function invalidOptionError(message: string): CuelineError {
  return new CuelineError('invalid_definition', message);
}

/** @throws CuelineError `invalid_definition` for an invalid output */
export function checkOutput(name: string, config: unknown): void {
  if (config === undefined || typeof config === 'function') return;
  if (typeof config === 'object' && config !== null && !Array.isArray(config)) {
    // tags that were written as an object have not been checked
    if (!isTags(config)) return;
    const { required, optional, lists, markdown } = config;
    if ([required, optional, lists, markdown].every(Array.isArray)) return;
  }
  throw invalidOptionError(
    `The output of agent "${name}" is a schema, tags(['answer']), or a function that reads the text. For the text itself, leave it out.`,
  );
}
