import type { VariableState } from '../../log/state.ts';
import type { Variable } from '../../prompt/definitions.ts';
import type { EventSink } from '../../tool-calls/run-context.ts';

/**
 * Creates a function that logs each variable that is new, has changed, or was removed with its task since the last
 * call.
 */
export function createVariableRecorder(
  current: () => ReadonlyMap<string, Variable>,
  sink: EventSink,
  earlier: Readonly<Record<string, VariableState>> = {},
): () => void {
  const written = new Map<string, VariableState>(Object.entries(earlier));
  let isFirst = true;
  return () => {
    const variables = current();
    for (const name of written.keys()) {
      // before the first step, the current task has not made its definitions again
      if (isFirst || variables.has(name)) continue;
      written.delete(name);
      sink.append({ type: 'variable-unset', name });
    }
    isFirst = false;
    for (const [name, variable] of variables) {
      const { kind, value } = variable;
      const before = written.get(name);
      if (before === variable) continue;
      written.set(name, variable);
      // set by another process of the run
      if (before !== undefined && before === earlier[name] && isSameVariable(before, variable)) continue;
      sink.append({ type: 'variable-set', name, kind, value });
    }
  };
}

function isSameVariable(one: VariableState, other: VariableState): boolean {
  return one.kind === other.kind && one.value === other.value;
}
