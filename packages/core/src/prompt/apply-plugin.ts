import { checkNames } from '../base/check-names.ts';
import { CuelineError } from '../base/errors.ts';
import type { PromptBuilder } from './prompt-builder.ts';
import type { Plugin } from './prompt.ts';

/** Lets a plugin make its definitions, and adds its methods to `prompt`. @throws CuelineError `invalid_definition` */
export async function applyPlugin(prompt: PromptBuilder, plugin: Plugin): Promise<void> {
  if (plugin?.kind !== 'plugin') {
    throw new CuelineError(
      'invalid_definition',
      'options.plugins takes what definePlugin returns: plugins: [definePlugin({ name: …, setup(prompt) { … } })].',
    );
  }
  checkNames(`Plugin "${plugin.name}"`, plugin, ['kind', 'name', 'setup'], 'invalid_definition');
  const methods: unknown = await plugin.setup(prompt.forPlugins());
  if (typeof methods !== 'object' || methods === null) return;
  for (const name of memberNames(methods)) {
    if (name in prompt) {
      throw new CuelineError(
        'invalid_definition',
        `Plugin "${plugin.name}" has a method ${name}, but prompt.${name} already exists. Give it another name.`,
      );
    }
    const member: unknown = (methods as Record<string, unknown>)[name];
    // binds the method to its object, because it is called as a method of prompt
    prompt.addMember(name, typeof member === 'function' ? member.bind(methods) : member);
  }
}

/** Returns the names of an object's own fields, and of the methods and getters of its classes. */
function memberNames(methods: object): Set<string> {
  const names = new Set(Object.keys(methods));
  let prototype: unknown = Object.getPrototypeOf(methods);
  while (typeof prototype === 'object' && prototype !== null && !isBase(prototype)) {
    for (const name of Object.getOwnPropertyNames(prototype)) if (name !== 'constructor') names.add(name);
    prototype = Object.getPrototypeOf(prototype);
  }
  return names;
}

/** True for `Object.prototype` of any realm. */
function isBase(prototype: object): boolean {
  return Object.getPrototypeOf(prototype) === null;
}
