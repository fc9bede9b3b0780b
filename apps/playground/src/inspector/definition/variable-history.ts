import type { RunEvent } from '@cueline/core';

export type VariableChange = {
  key: string;
  turn: number;
  /** The agent that set it; missing for the run itself. */
  path: string | undefined;
  /** When, since the start of that turn's run. */
  t: number;
  /** Number of the first step whose request has the value; undefined if none has been sent yet. */
  step: number | undefined;
  /** The value; undefined if the task that defined the variable was over. */
  value: string | undefined;
  /** The value before; undefined for the first. */
  before: string | undefined;
};

/** The logs of a conversation, oldest first, each up to the moment that is shown. */
export type ShownLog = { turn: number; log: readonly RunEvent[]; until: number };

/** The values of a variable in a conversation, in order. Setting the same value again is not a change. */
export function variableHistory(name: string, logs: readonly ShownLog[]): VariableChange[] {
  const changes: VariableChange[] = [];
  for (const { turn, log, until } of logs) {
    const values = new Map<string | undefined, string | undefined>();
    /** The changes that no request has had yet, by agent. */
    const unsent = new Map<string | undefined, VariableChange[]>();
    const add = ({ seq, t, agent: path }: RunEvent, value: string | undefined): void => {
      const before = values.get(path);
      if (value === before) return;
      values.set(path, value);
      const change = { key: `${turn} ${seq}`, turn, path, t, step: undefined, value, before };
      changes.push(change);
      unsent.set(path, [...(unsent.get(path) ?? []), change]);
    };
    for (const event of log) {
      if (event.seq > until) break;
      if (event.type === 'variable-set' && event.name === name) add(event, event.value);
      else if (event.type === 'variable-unset' && event.name === name) add(event, undefined);
      else if (event.type === 'step-start') {
        for (const change of unsent.get(event.agent) ?? []) change.step = event.step;
        unsent.delete(event.agent);
      }
    }
  }
  return changes;
}
