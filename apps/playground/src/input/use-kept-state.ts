import { useCallback, useState } from 'react';

/** What a draft is written for: a waiting call, or a task, with this id in a run. */
export type DraftOwner = { readonly run: object; readonly id: string };

const drafts = new WeakMap<object, Map<string, Map<string, unknown>>>();

/**
 * A state that is kept when its component is not drawn, such as while another view is open. It lasts until
 * {@link forgetDrafts}. Another owner needs another `key` of the component.
 */
export function useKeptState<Value>(
  { run, id }: DraftOwner,
  name: string,
  initial: () => Value,
): [Value, (value: Value) => void] {
  const [value, setValue] = useState(() => {
    const kept = drafts.get(run)?.get(id);
    return kept?.has(name) === true ? (kept.get(name) as Value) : initial();
  });
  const keep = useCallback(
    (next: Value): void => {
      const ofRun = drafts.get(run) ?? new Map<string, Map<string, unknown>>();
      drafts.set(run, ofRun.set(id, new Map(ofRun.get(id)).set(name, next)));
      setValue(next);
    },
    [run, id, name],
  );
  return [value, keep];
}

export function forgetDrafts({ run, id }: DraftOwner): void {
  drafts.get(run)?.delete(id);
}
