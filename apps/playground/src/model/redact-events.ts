import { redactKeys } from './redact-keys.ts';

/** Returns a value of JSON without these keys, wherever a server has put them; the value itself if it has none. */
export function withoutKeys<Value>(value: Value, keys: readonly string[]): Value {
  const json = JSON.stringify(value);
  const clean = redactKeys(json, keys);
  return clean === json ? value : (JSON.parse(clean) as Value);
}

/** Passes on the events of a run without these keys. */
export async function* redactEvents<Event>(
  events: AsyncIterable<Event>,
  keys: readonly string[],
): AsyncIterable<Event> {
  for await (const event of events) yield withoutKeys(event, keys);
}
