import { CuelineError } from '../errors.ts';
import type { Prompt } from './prompt.ts';

/** Definitions to share between prompts, as {@link definePlugin} makes them. */
export type Plugin = {
  readonly kind: 'plugin';
  readonly name: string;
  readonly setup: (prompt: Prompt) => void | Promise<void>;
};

/**
 * Names a set of definitions (tools, variables, system parts) that prompts take with `options.plugins`.
 * `setup` runs before the prompt function.
 *
 * @example
 * const house = definePlugin({ name: 'house-style', setup(prompt) { prompt.defSystem('style', 'Be brief.'); } });
 */
export function definePlugin(plugin: { name: string; setup: Plugin['setup'] }): Plugin {
  if (typeof plugin.setup !== 'function') {
    throw new CuelineError(
      'invalid_definition',
      `Plugin "${plugin.name}" has no setup: definePlugin({ name: '${plugin.name}', setup(prompt) { … } }).`,
    );
  }
  return { kind: 'plugin', name: plugin.name, setup: plugin.setup };
}
