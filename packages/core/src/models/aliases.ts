import { CuelineError } from '../base/errors.ts';
import { nearestName } from '../base/nearest-name.ts';
import { isBuiltIn } from './built-in.ts';
import { type Environment, readVariable, toVariablePart } from './environment.ts';

const prefix = 'LM_MODEL_';

/** The aliases that the environment sets (`LM_MODEL_LARGE=…` is `large`), in its order. */
export function knownAliases(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && name !== prefix && readVariable(env, name) !== undefined)
    .map((name) => name.slice(prefix.length).toLowerCase());
}

/**
 * Follows an alias through the environment to the `provider:id` that it stands for. A name with a slash that is no alias
 * is one of the AI Gateway: `openai/gpt-4o` is `gateway:openai/gpt-4o`.
 * Throws `unknown_model` for a name that is not set or that looks like a misspelt alias, `alias_cycle` for one that leads back to itself.
 */
export function resolveAlias(alias: string, env: Environment): string {
  const chain: string[] = [];
  const seen = new Set<string>();
  let name = alias;
  while (!name.includes(':')) {
    const variable = prefix + toVariablePart(name);
    chain.push(name);
    if (seen.has(variable)) {
      throw new CuelineError(
        'alias_cycle',
        `Model alias "${alias}" leads back to itself: ${chain.join(' → ')}. ` +
          `Set one of them to a model, such as ${variable}=openai:gpt-4o.`,
        { details: { chain } },
      );
    }
    seen.add(variable);
    const value = readVariable(env, variable);
    if (value === undefined && name.includes('/') && misspelt(name, env) === undefined)
      return toGateway(name);
    if (value === undefined) throw unknownAlias(name, chain, variable, env);
    name = value;
  }
  return name;
}

/** `openai/gpt-4o` as the AI SDK and others write it, or `gateway/openai/gpt-4o`. */
function toGateway(name: string): string {
  return `gateway:${name.replace(/^gateway\//, '')}`;
}

/** The alias that a name with a slash may have been meant to be, which must not be sent to the AI Gateway. */
function misspelt(name: string, env: Environment): string | undefined {
  // models of one provider have similar names: an alias for openai/gpt-5 says nothing about openai/gpt-4
  if (isBuiltIn(name.slice(0, name.indexOf('/')))) return undefined;
  return nearestName(toVariablePart(name), knownAliases(env));
}

function unknownAlias(name: string, chain: string[], variable: string, env: Environment): CuelineError {
  const known = knownAliases(env);
  const meant = name.includes('/') ? misspelt(name, env) : undefined;
  const hint = meant === undefined ? '' : ` Did you mean ${meant}? For the AI Gateway write gateway:${name}.`;
  const from = chain.length > 1 ? ` (from ${chain.join(' → ')})` : '';
  return new CuelineError(
    'unknown_model',
    known.length > 0
      ? `Unknown model alias "${name}"${from}. Known aliases: ${known.join(', ')}. ` +
          `Set ${variable} or pass a LanguageModel.${hint}`
      : `Unknown model alias "${name}": no aliases are set. Write provider:model, such as openai:gpt-4o, ` +
          `set ${variable}, or pass a LanguageModel.`,
    { details: { alias: name, known, variable } },
  );
}
