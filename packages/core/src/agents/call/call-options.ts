import { checkNames } from '../../base/check-names.ts';
import { optionNames } from '../../prompt/option-names.ts';
import type { AgentConfig } from './agent-config.ts';

/** Options that belong elsewhere, and where. */
const elsewhere: Readonly<Record<string, string>> = {
  plugins: 'Its tools and instructions say what a plugin would.',
  messages: 'Give the call a dialog: agent.call(input, { dialog }).',
  abortSignal: 'Give the call a signal: agent.call(input, { signal }).',
  limits: 'limits stand beside the options: defineAgent({ limits: { … } }).',
  output: 'output stands beside the options: defineAgent({ output: … }).',
  tools: 'tools stand beside the options: defineAgent({ tools: [ … ] }).',
};
/** The options that an agent's model calls can have. */
export const callOptionNames: readonly string[] = optionNames.filter(
  (name) => !Object.hasOwn(elsewhere, name),
);

/** Checks the names of an agent's options. @throws CuelineError `invalid_definition` */
export function checkCallOptions(name: string, options: AgentConfig['options']): void {
  checkNames(`options of agent "${name}"`, options, callOptionNames, 'invalid_definition', (key) =>
    Object.hasOwn(elsewhere, key)
      ? `options of agent "${name}" cannot have ${key}. ${elsewhere[key]}`
      : undefined,
  );
}
