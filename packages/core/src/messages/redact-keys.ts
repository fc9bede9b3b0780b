import type { RunLog } from '../log/run-log.ts';
import { redactSecrets } from '../json/redact.ts';
import { copyPlain, isPlain } from '../json/copy-plain.ts';
import { toJson } from './to-json.ts';

/** A value without these keys, wherever in its texts they stand; the same value where there are none. */
export function redactKeys<Value>(value: Value, secrets: readonly string[]): Value {
  if (secrets.length === 0) return value;
  try {
    if (!holdsAny(value, secrets)) return value;
    return copyPlain(value, (text) => redactSecrets(text, secrets)) as Value;
  } catch {
    // nested too deep, or in a circle
    return toJson(value, secrets) as Value;
  }
}

/** The log of a run that knows keys: none of them is written into it. Without keys, it is the log as it was. */
export function withRedactedKeys(log: RunLog, secrets: readonly string[]): RunLog {
  // what is too short to be a key is never hidden, and need not be looked for
  const keys = secrets.filter((secret) => redactSecrets(secret, [secret]) !== secret);
  if (keys.length === 0) return log;
  const { append } = log;
  log.append = (body) => append(redactKeys(body, keys));
  return log;
}

function holdsAny(value: unknown, secrets: readonly string[]): boolean {
  if (typeof value === 'string') return secrets.some((secret) => value.includes(secret));
  if (Array.isArray(value)) return value.some((item) => holdsAny(item, secrets));
  if (!isPlain(value)) return false;
  return Object.entries(value).some(([key, item]) => holdsAny(item, secrets) || holdsAny(key, secrets));
}
