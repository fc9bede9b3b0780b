import { CuelineError } from '../base/errors.ts';
import type { Plugin, Prompt } from './prompt.ts';

/** The methods that `setup` returns. A plugin may have none. */
type MethodsIn<Returned> = Extract<Awaited<Returned>, object>;

/**
 * Names a set of definitions (tools, variables, system parts, hooks) that prompts take with `options.plugins`.
 * `setup` runs before the prompt function; the methods that it returns appear on `prompt`, with their types.
 *
 * @example
 * const glossary = definePlugin({
 *   name: 'glossary',
 *   setup: (prompt) => ({ defTerm: (term: string, meaning: string) => prompt.defSystem(term, meaning) }),
 * });
 */
export function definePlugin<Returned>(plugin: {
  name: string;
  setup: (prompt: Prompt) => Returned;
}): Plugin<[MethodsIn<Returned>] extends [never] ? object : MethodsIn<Returned>> {
  const { name, setup } = plugin ?? {};
  if (typeof name !== 'string' || typeof setup !== 'function') {
    throw new CuelineError(
      'invalid_definition',
      "A plugin needs a name and a setup: definePlugin({ name: 'glossary', setup(prompt) { … } }).",
    );
  }
  // other names and the returned value are checked where the plugin is used, because a caller may ignore the types
  return { ...plugin, kind: 'plugin', name, setup: setup as Plugin<never>['setup'] };
}
