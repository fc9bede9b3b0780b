import { CuelineError } from '../errors.ts';
import type { Prompt } from './prompt.ts';

/** Definitions to share between prompts, as {@link definePlugin} makes them. `Methods` are what it adds to `prompt`. */
export type Plugin<Methods extends object = object> = {
  readonly kind: 'plugin';
  readonly name: string;
  readonly setup: (prompt: Prompt) => Methods | undefined | Promise<Methods | undefined>;
};

/** What all of some plugins add to `prompt`. */
export type PluginMethods<Plugins extends readonly Plugin[]> = Intersection<
  Plugins[number] extends infer One ? (One extends Plugin<infer Methods> ? Methods : never) : never
>;

type Intersection<Union> = [Union] extends [never]
  ? unknown
  : (Union extends unknown ? (one: Union) => void : never) extends (all: infer All extends object) => void
    ? All
    : object;

/** The methods in what a `setup` returns; a plugin may have none. */
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
  if (typeof plugin.setup !== 'function') {
    throw new CuelineError(
      'invalid_definition',
      `Plugin "${plugin.name}" has no setup: definePlugin({ name: '${plugin.name}', setup(prompt) { … } }).`,
    );
  }
  // what it returned is checked where it is used: a type says nothing of what a script does
  return { kind: 'plugin', name: plugin.name, setup: plugin.setup as Plugin<never>['setup'] };
}

/** A list of plugins, checked to be one. @throws CuelineError `invalid_options` */
export function checkPlugins(plugins: readonly Plugin[]): readonly Plugin[] {
  if (Array.isArray(plugins)) return plugins;
  throw new CuelineError('invalid_options', 'plugins takes a list. Write plugins: [memory].');
}

/** Lets a plugin make its definitions, and puts its methods onto `prompt`. @throws CuelineError `invalid_definition` */
export async function usePlugin(prompt: Prompt, plugin: Plugin): Promise<void> {
  if (plugin?.kind !== 'plugin') {
    throw new CuelineError(
      'invalid_definition',
      'options.plugins takes what definePlugin returns: plugins: [definePlugin({ name: …, setup(prompt) { … } })].',
    );
  }
  const methods: unknown = await plugin.setup(prompt);
  if (typeof methods !== 'object' || methods === null) return;
  for (const name of memberNames(methods)) {
    if (name in prompt) {
      throw new CuelineError(
        'invalid_definition',
        `Plugin "${plugin.name}" has a method ${name}, but prompt.${name} is there already. Give it another name.`,
      );
    }
    const member: unknown = (methods as Record<string, unknown>)[name];
    // a method works on what it belongs to, also where it is called as one of prompt's
    const value: unknown = typeof member === 'function' ? member.bind(methods) : member;
    Object.defineProperty(prompt, name, { value, enumerable: true });
  }
}

/** The names of an object's own fields, and of the methods and getters of its classes. */
function memberNames(methods: object): Set<string> {
  const names = new Set(Object.keys(methods));
  let prototype: unknown = Object.getPrototypeOf(methods);
  while (typeof prototype === 'object' && prototype !== null && !isBase(prototype)) {
    for (const name of Object.getOwnPropertyNames(prototype)) if (name !== 'constructor') names.add(name);
    prototype = Object.getPrototypeOf(prototype);
  }
  return names;
}

/** True for what every object comes from, in whatever realm it was made. */
function isBase(prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null;
}
