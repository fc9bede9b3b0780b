/** The length from which a key is removed; anything shorter is a placeholder, and removing it would damage texts. */
const SHORTEST_KEY = 8;

/** Returns a value of JSON without these keys, wherever a server has put them; the value itself if it has none. */
export function withoutKeys<Value>(value: Value, keys: readonly string[]): Value {
  const json = JSON.stringify(value);
  const written = keys
    .filter((key) => key.length >= SHORTEST_KEY)
    .map((key) => JSON.stringify(key).slice(1, -1))
    .filter((key) => json.includes(key));
  if (written.length === 0) return value;
  return JSON.parse(written.reduce((text, key) => text.replaceAll(key, '[redacted]'), json)) as Value;
}

/** Passes on the events of a run without these keys. */
export async function* redactEvents<Event>(
  events: AsyncIterable<Event>,
  keys: readonly string[],
): AsyncIterable<Event> {
  for await (const event of events) yield withoutKeys(event, keys);
}
