import type { LanguageModel } from 'ai';
import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import { toSchema, type ToolSchema } from '../tools/schema.ts';
import { checkHeader, splitOptions, type ToolHeader } from '../tools/tool-definition.ts';
import type { ToolContext } from '../tools/tool-types.ts';
import type { AgentCallSettings } from './call-settings.ts';
import { checkPlugins } from './check-plugins.ts';
import { checkSettings } from './check-settings.ts';
import { optionNames } from './option-names.ts';
import type { AgentOptions, Plugin, Prompt } from './prompt.ts';

/** A prompt function that answers a tool call. */
export type AgentDefinition = {
  run: (args: unknown, prompt: Prompt, context: ToolContext) => void | Promise<void>;
  model?: string | LanguageModel;
  plugins: readonly Plugin[];
  responseSchema?: ToolSchema;
  options: AgentCallSettings;
};

/** A tool that an agent answers. */
export type AgentTool = { kind: 'agent'; agent: AgentDefinition } & ToolHeader;

/** Options of a run that an agent cannot have, and what to write instead. */
const ofTheRun: Readonly<Record<string, string>> = {
  limits: 'limits belong to the run: runPrompt(…, { options: { limits } }).',
  approval: 'approval belongs to the run: runPrompt(…, { options: { approval } }).',
  abortSignal: 'An agent stops with its run. To limit the time of the agent, use timeoutMs.',
  messages: 'Its function defines its messages: prompt.defMessage(…).',
  output: 'Describe its answer with responseSchema.',
  outputSchema: 'Describe its answer with responseSchema.',
};
const agentNames: readonly string[] = [
  'model',
  'responseSchema',
  'effect',
  'repeatable',
  'needsApproval',
  'timeoutMs',
  ...optionNames.filter((name) => !(name in ofTheRun)),
];

/** Returns a tool whose calls are answered by their own prompt. @throws CuelineError `invalid_definition` */
export function agentTool(
  name: string,
  description: string,
  schema: ToolSchema,
  run: AgentDefinition['run'],
  options: AgentOptions = {},
): AgentTool {
  checkHeader(name, description, schema);
  if (typeof run !== 'function') {
    throw new CuelineError(
      'invalid_definition',
      `Agent ${name} has no function. Write prompt.defAgent('${name}', 'what it does', z.object({ … }), async (args, prompt) => { prompt.$\`…\`; }).`,
    );
  }
  checkNames(`Agent ${name}`, options, agentNames, 'invalid_definition', (key) =>
    Object.hasOwn(ofTheRun, key) ? `Agent ${name} cannot have ${key}. ${ofTheRun[key]}` : undefined,
  );
  const {
    model,
    plugins = [],
    responseSchema,
    effect,
    repeatable,
    loopGuard,
    needsApproval,
    timeoutMs,
    ...own
  } = options;
  checkSettings(own, { code: 'invalid_definition', whose: `Agent ${name}: ` });
  const rules = { effect, repeatable, loopGuard, needsApproval, timeoutMs };
  const set = Object.entries(rules).filter(([, value]) => value !== undefined);
  return {
    kind: 'agent',
    description,
    inputSchema: toSchema(name, schema),
    rules: splitOptions(name, Object.fromEntries(set)).rules,
    agent: {
      run,
      plugins: checkPlugins(plugins),
      ...(model === undefined ? {} : { model }),
      ...(responseSchema === undefined ? {} : { responseSchema: toSchema(name, responseSchema) }),
      options: own,
    },
  };
}
