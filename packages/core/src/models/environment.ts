/** Settings by name: `process.env`, `import.meta.env`, a Worker's `env`, or an object of your own. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the process's environment, if there is one, as it is at the moment; otherwise an empty one. */
export function processEnvironment(): Environment {
  return (globalThis as { process?: { env?: Environment } }).process?.env ?? {};
}

/** Returns a variable's trimmed value; undefined if it is unset or blank. */
export function readVariable(env: Environment, name: string): string | undefined {
  const value: unknown = Object.hasOwn(env, name) ? env[name] : undefined;
  // a Worker's env also holds bindings, and import.meta.env booleans: only text is a setting
  return typeof value === 'string' && value.trim() !== '' ? value.trim() : undefined;
}

/** Returns the form of a name in a variable: `my-provider` becomes `MY_PROVIDER`. */
export function toVariablePart(name: string): string {
  return name.toUpperCase().replace(/[^A-Z0-9]/g, '_');
}

/** The endings of variables with keys. AWS, Google and Vercel have their own. */
const keyNames = /_(?:API_KEY|ACCESS_KEY|ACCESS_KEY_ID|PRIVATE_KEY|SESSION_TOKEN|OIDC_TOKEN|TOKEN_BEDROCK)$/;

/** Returns every key in the environment (`…_API_KEY`, `AWS_SECRET_ACCESS_KEY` and the like), for redaction. */
export function secretsOf(env: Environment): string[] {
  return Object.keys(env).flatMap((name) => (keyNames.test(name) ? (readVariable(env, name) ?? []) : []));
}
