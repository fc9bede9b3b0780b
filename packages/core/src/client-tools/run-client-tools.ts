import { warnInDevelopment } from '../base/report-in-development.ts';
import { isPending } from '../log/pending.ts';
import type { RunLog } from '../log/run-log.ts';
import { runClientTool, type ClientToolContext, type FollowedRun } from './run-client-tool.ts';

/** Declared as a method, so that a function may declare its argument types where TypeScript cannot infer them. */
export type AnyClientToolFunction = { call(input: unknown, context: ClientToolContext): unknown }['call'];

/** The calls of each log that this page has looked at, with the page that had claimed them. */
const seenCalls = new WeakMap<RunLog, Set<string>>();

/** Runs the pending client tool calls of a run that this page has a function for, each once. */
export function runClientTools(
  run: FollowedRun,
  provided: ReadonlySet<Readonly<Record<string, AnyClientToolFunction>>>,
): void {
  const { log } = run;
  const seen = seenCalls.get(log) ?? new Set();
  seenCalls.set(log, seen);
  for (const call of log.getState().clientToolCalls) {
    if (!isPending(call)) continue;
    const { toolName, clientCallId, page = '' } = call;
    const fn = [...provided].findLast(
      (tools) => Object.hasOwn(tools, toolName) && tools[toolName] !== undefined,
    );
    const turn = `${clientCallId} ${page}`;
    if (fn === undefined && page === '') warnOfName(toolName, [...provided].flatMap(Object.keys));
    if (fn === undefined || seen.has(turn)) continue;
    seen.add(turn);
    // an error of the function becomes the call's error
    void runClientTool(call, fn[toolName]!, run);
  }
}

const warned = new Set<string>();

/** Warns once that a call waits, because no function has the tool's name: it may be misspelt. */
function warnOfName(toolName: string, names: readonly string[]): void {
  if (names.length === 0 || warned.has(toolName)) return;
  warned.add(toolName);
  warnInDevelopment(
    `The model called the client tool "${toolName}", and this page has functions for other tools only: ${names.join(', ')}. Unless you answer with run.respondToClientTool, the call waits for its time limit.`,
  );
}
