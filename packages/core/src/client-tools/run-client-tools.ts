import { isOpenRequest } from '../log/reduce.ts';
import type { AnyClientToolFunction } from './client-tools.ts';
import type { RunLog } from '../log/run-log.ts';
import { runClientTool, type FollowedRun } from './run-client-tool.ts';

/** The requests of each log that have been looked at, with the page that had begun them. */
const seenRequests = new WeakMap<RunLog, Set<string>>();

/** Runs the calls of client tools that a run waits for and that have a function here, each once. */
export function runClientTools(
  { log, send: tell }: FollowedRun,
  provided: readonly Readonly<Record<string, AnyClientToolFunction>>[],
): void {
  const seen = seenRequests.get(log) ?? new Set();
  seenRequests.set(log, seen);
  for (const request of log.getState().requests) {
    if (request.kind !== 'client-tool' || !isOpenRequest(request)) continue;
    const { toolName, requestId, page = '' } = request;
    const fn = provided.findLast((tools) => Object.hasOwn(tools, toolName) && tools[toolName] !== undefined);
    const turn = `${requestId} ${page}`;
    if (fn === undefined || seen.has(turn)) continue;
    seen.add(turn);
    // its faults become the call's
    void runClientTool(request, fn[toolName]!, { log, send: tell });
  }
}
