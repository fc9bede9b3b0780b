import type { RunEvent } from '@cueline/core';
import { isRecord } from '../ui/data/is-record.ts';
import { isLoopback, OPENAI_BASE_URL, type ConnectionSettings } from './connection.ts';
import { joinDeltas } from './join-deltas.ts';

/**
 * Returns the logs of a run's turns as others may read them. Errors of the model name the address of the user's own
 * server; links and files say "the model server" instead, wherever that address is. They are the same logs if they have
 * no such address. `connection` is the user's: the words of a provider may name its server, too.
 */
export function logsWithoutServers(
  logs: readonly (readonly RunEvent[])[],
  connection: ConnectionSettings,
): readonly (readonly RunEvent[])[] {
  const servers = serversOf(logs.flat(), connection);
  if (servers === undefined) return logs;
  const isNamed = (text: string): boolean => text.search(servers) !== -1;
  return logs.map((log) =>
    joinDeltas(log, isNamed).map((event) => withoutMovedParts(event, replaceIn(event, servers))),
  );
}

/** Does the same for one log. */
export function logWithoutServers(
  log: readonly RunEvent[],
  connection: ConnectionSettings,
): readonly RunEvent[] {
  return logsWithoutServers([log], connection)[0]!;
}

/** Does the same for the results of an eval. */
export function resultsWithoutServers<Result extends object>(
  results: readonly Result[],
  connection: ConnectionSettings,
): readonly Result[] {
  const servers = serversOf(results, connection);
  return servers === undefined ? results : results.map((result) => replaceIn(result, servers));
}

/** Matches the addresses of the servers that errors and the connection name; undefined if the items have none. */
function serversOf(items: readonly object[], connection: ConnectionSettings): RegExp | undefined {
  const urls = [...items.flatMap(serversInError), ...ownServers(connection)];
  const openAI = new URL(OPENAI_BASE_URL).host;
  const names = new Set(urls.flatMap(namesOf).filter((name) => name !== openAI));
  if (names.size === 0) return undefined;
  // the longest first, so that a name with its port is replaced as a whole
  const escaped = [...names]
    .toSorted((one, other) => other.length - one.length)
    .map((name) => name.replaceAll(/[^\w-]/g, String.raw`\$&`))
    .join('|');
  if (!new RegExp(escaped).test(JSON.stringify(items))) return undefined;
  const path = String.raw`(?:/(?:[^\s"'<>]*[^\s"'<>.,:;!?)])?)?`;
  return new RegExp(String.raw`(?:https?://)?(?<![\w.-])(?:${escaped})(?![\w-])${path}`, 'g');
}

/** The server that the error of an event or a result names in its details, as core's errors of a model call do. */
function serversInError(item: { readonly error?: unknown }): URL[] {
  const details = isRecord(item.error) ? item.error['details'] : undefined;
  if (!isRecord(details)) return [];
  const { origin, host } = details;
  return [...readUrl(origin), ...(typeof host === 'string' ? readUrl(`http://${host}`) : [])];
}

/** The servers of the connection, except this machine, which has the same name for everyone. */
function ownServers({ openai, compatible }: ConnectionSettings): URL[] {
  return [openai.baseUrl, compatible.baseUrl].flatMap(readUrl).filter((url) => !isLoopback(url.hostname));
}

function readUrl(address: unknown): URL[] {
  return typeof address === 'string' && URL.canParse(address.trim()) ? [new URL(address.trim())] : [];
}

/** The host with its port, and without it if that could not be an ordinary word. */
function namesOf({ host, hostname }: URL): string[] {
  return hostname.includes('.') && !isLoopback(hostname) ? [host, hostname] : [host];
}

/** Replaces the addresses in every string of a JSON value. */
function replaceIn<Value>(value: Value, servers: RegExp): Value;
function replaceIn(value: unknown, servers: RegExp): unknown {
  if (typeof value === 'string') {
    return value.replaceAll(servers, (_, at) => (at === 0 ? 'The model server' : 'the model server'));
  }
  if (Array.isArray(value)) return value.map((item: unknown) => replaceIn(item, servers));
  if (!isRecord(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaceIn(item, servers)]));
}

/** Removes the positions of definitions in a system prompt whose length has changed. */
function withoutMovedParts(before: RunEvent, after: RunEvent): RunEvent {
  if (before.type !== 'step-start' || after.type !== 'step-start') return after;
  if (before.request.instructions === after.request.instructions) return after;
  const { instructionParts: _, ...request } = after.request;
  return { ...after, request };
}
