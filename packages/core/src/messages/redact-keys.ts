import { copyPlain, isPlain } from '../json/copy-plain.ts';
import { redactSecrets } from '../json/redact.ts';
import type { RunLog } from '../log/run-log.ts';
import { toJson } from './to-json.ts';

/** Returns a value without these keys in any of its texts; the same value if it has none. */
export function redactKeys<Value>(value: Value, secrets: readonly string[]): Value {
  if (secrets.length === 0) return value;
  try {
    if (!holdsAny(value, secrets)) return value;
    return copyPlain(value, (text) => redactSecrets(text, secrets)) as Value;
  } catch {
    // nested too deep, or a cycle
    return toJson(value, secrets) as Value;
  }
}

/** Returns a log that writes none of the run's keys. Without keys, returns the log itself. */
export function withRedactedKeys(log: RunLog, secrets: readonly string[]): RunLog {
  // a text that is too short to be a key is never hidden, so it need not be searched for
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
