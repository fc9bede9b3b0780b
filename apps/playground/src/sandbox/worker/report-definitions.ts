import type { ToHost } from '../protocol.ts';
import type { DefinitionKind, DefinitionName } from '../script/definition.ts';
import type { ScriptPosition } from '../script/script-error.ts';

/** Reports to the page which line of the script makes each definition. */
export type DefinitionReporter = {
  /** Reports a definition. Its line is where the script made `value`, otherwise where the script makes this call. */
  report(of: DefinitionKind, name: unknown, agent?: string, value?: unknown): void;
  /** Reports the tools of a list or a tool set; with `whole`, as parts of that composite tool. */
  reportTools(tools: unknown, agent?: string, whole?: string): void;
  /** Calls `before`, then `define`. Definitions that core makes during `define` are not reported. */
  during<Value>(before: () => void, define: () => Value): Value;
  /** Records where the script made a value, and returns the value. */
  made<Value>(value: Value): Value;
};

/** How many definitions of a run are located. */
const MAX_LOCATED = 1_000;
/** How many callers are searched for the script: between it and this file are only a few functions of core. */
const FRAMES = 12;
const MAX_NAME_LENGTH = 200;
const MAX_AGENT_LENGTH = 500;

const NativeError = Error as ErrorConstructor & { stackTraceLimit?: number };

/** Reports the first 1,000 definitions that a script makes, each line of them once. */
export function createDefinitionReporter(
  locate: (error: Error) => ScriptPosition | undefined,
  send: (message: ToHost) => void,
): DefinitionReporter {
  const sent = new Set<string>();
  const positions = new WeakMap<object, ScriptPosition>();
  let located = 0;
  let inside = false;

  /** The script's position in the present call. */
  function caller(): ScriptPosition | undefined {
    if (located >= MAX_LOCATED) return undefined;
    located += 1;
    const limit = NativeError.stackTraceLimit;
    // the script may have locked or replaced any of this, which must not make its definition fail
    try {
      if (limit !== undefined) NativeError.stackTraceLimit = FRAMES;
      return locate(new NativeError());
    } catch {
      return undefined;
    } finally {
      try {
        if (limit !== undefined) NativeError.stackTraceLimit = limit;
      } catch {
        // as above
      }
    }
  }

  function report(of: DefinitionKind, name: unknown, agent?: string, value?: unknown): void {
    if (typeof name !== 'string' || name.length > MAX_NAME_LENGTH) return;
    if (agent !== undefined && agent.length > MAX_AGENT_LENGTH) return;
    const at = (isObject(value) ? positions.get(value) : undefined) ?? caller();
    if (at === undefined) return;
    const key = JSON.stringify([of, name, agent, at.line]);
    if (sent.has(key)) return;
    sent.add(key);
    const definition: DefinitionName = { of, name, ...(agent === undefined ? {} : { agent }) };
    send({ type: 'definition', ...definition, at });
  }

  function reportTools(tools: unknown, agent?: string, whole?: string): void {
    const nameOf = (name: unknown): unknown =>
      whole === undefined ? name : typeof name === 'string' ? `${whole}.${name}` : undefined;
    for (const entry of Array.isArray(tools) ? (tools as unknown[]) : [tools]) {
      if (!isObject(entry)) continue;
      if ('kind' in entry && entry.kind === 'tool') {
        report('tool', nameOf((entry as { name?: unknown }).name), agent, entry);
      } else {
        for (const [name, tool] of Object.entries(entry)) report('tool', nameOf(name), agent, tool);
      }
    }
  }

  return {
    report,
    reportTools,
    during(before, define) {
      if (inside) return define();
      inside = true;
      try {
        before();
        return define();
      } finally {
        inside = false;
      }
    },
    made(value) {
      const at = isObject(value) ? caller() : undefined;
      if (at !== undefined) positions.set(value as object, at);
      return value;
    },
  };
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
