import { CuelineError } from '../base/errors.ts';
import { nearestName } from '../base/nearest-name.ts';
import { isBuiltIn } from './built-in.ts';
import { type Environment, readVariable, toVariablePart } from './environment.ts';

const prefix = 'LM_MODEL_';

/**
 * Resolves an alias through the environment to its `provider:id`. A name with a slash that is not an alias is one of
 * the AI Gateway: `openai/gpt-4o` is `gateway:openai/gpt-4o`. Throws `unknown_model` for an alias that is not set or
 * looks misspelt, `alias_cycle` for one that leads back to itself.
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
    if (value === undefined) throw unknownAliasError(name, chain, variable, env);
    name = value;
  }
  return name;
}

/** Reads `openai/gpt-4o`, the form of the AI SDK and others, or `gateway/openai/gpt-4o`. */
function toGateway(name: string): string {
  return `gateway:${name.replace(/^gateway\//, '')}`;
}

/**
 * Returns the alias that is most similar to a name with a slash. A misspelt alias must not be sent to the AI Gateway.
 */
function misspelt(name: string, env: Environment): string | undefined {
  // models of one provider have similar names, so openai/gpt-4 is not a misspelt alias openai/gpt-5
  if (isBuiltIn(name.slice(0, name.indexOf('/')))) return undefined;
  return nearestName(toVariablePart(name), knownAliases(env));
}

/** Returns the aliases that the environment sets (`LM_MODEL_LARGE=…` is `large`), in order. */
function knownAliases(env: Environment): string[] {
  return Object.keys(env)
    .filter((name) => name.startsWith(prefix) && name !== prefix && readVariable(env, name) !== undefined)
    .map((name) => name.slice(prefix.length).toLowerCase());
}

function unknownAliasError(name: string, chain: string[], variable: string, env: Environment): CuelineError {
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
