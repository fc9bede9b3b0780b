import type { RunState } from '@cueline/core';
import { logOf } from '../state/shown-run.ts';
import type { ForkPoint, RunSession, RunSource } from '../state/store.ts';
import type { KeptSession } from './store.ts';

/** A run in the tree of forks. */
export type ForkItem = {
  readonly id: string;
  /** The run that it continues; missing if it is not a fork. */
  readonly parent?: ForkPoint | undefined;
  readonly title: string;
  readonly status: RunState['status'];
  readonly steps: number;
  /** Milliseconds since 1970. */
  readonly startedOn: number;
};

/** A run of the tree, with its forks. */
export type ForkNode = ForkItem & { readonly forks: readonly ForkNode[] };

/** The runs that belong to the tree of the session `id`, in the order in which they started, with their titles. */
export function forkItems(kept: readonly KeptSession[], id: string | undefined): readonly ForkItem[] {
  const byId = new Map(kept.map((one) => [one.session.id, one]));
  if (id === undefined || !byId.has(id)) return [];
  const tree = idsOfTree(
    id,
    kept.map(({ session }) => session),
  );
  return kept
    .filter(({ session }) => tree.has(session.id))
    .map(({ session, status, steps, startedOn }, index) => ({
      id: session.id,
      parent: session.parent,
      title: [`Run ${index + 1}`, ...describe(session, byId.get(session.parent?.id ?? '')?.session)].join(
        ' · ',
      ),
      status,
      steps,
      startedOn,
    }));
}

/** The ids of the runs in the tree of this one: those that have the same run at its top. */
export function idsOfTree(
  id: string,
  runs: readonly { readonly id: string; readonly parent?: ForkPoint | undefined }[],
): ReadonlySet<string> {
  const parents = new Map(runs.map((run) => [run.id, run.parent?.id]));
  const topOf = (of: string): string => {
    const seen = new Set([of]);
    for (;;) {
      const parent = parents.get(of);
      // a parent may have been deleted, and an imported or damaged run may name itself
      if (parent === undefined || !parents.has(parent) || seen.has(parent)) return of;
      seen.add(parent);
      of = parent;
    }
  };
  const top = topOf(id);
  return new Set([...parents.keys()].filter((one) => topOf(one) === top));
}

/** The step at which a fork departs from its parent, and what was changed. */
function describe(session: RunSession, parent: RunSession | undefined): string[] {
  const { parent: point } = session;
  if (point === undefined) {
    if (session.recorded) return ['recording'];
    return session.shared ? [session.ofEval ? 'run of an eval' : 'shared'] : [];
  }
  const edited = editedIn(session, point);
  const name = agentNameOf(session, point);
  const of = name === undefined ? '' : ` of ${name}`;
  return [
    edited === undefined ? `from step ${point.step + 1}${of}` : `${edited} edited in step ${point.step}${of}`,
    ...(hasOtherScript(session, parent) ? ['script edited'] : []),
  ];
}

type OfSource = { readonly source: RunSource };

/** True if a fork ran another script than its parent. */
export function hasOtherScript({ source }: OfSource, parent: OfSource | undefined): boolean {
  if (parent === undefined || !('script' in source) || !('script' in parent.source)) return false;
  return source.script !== parent.source.script;
}

function agentNameOf(session: RunSession, { turn, agent }: ForkPoint): string | undefined {
  const start = logOf(session, turn).find((event) => event.type === 'agent-start' && event.agent === agent);
  return start?.type === 'agent-start' ? start.name : undefined;
}

/** What was edited in the step before the fork. */
export function editedIn(
  session: Pick<RunSession, 'run' | 'earlier'>,
  { turn, step, agent }: ForkPoint,
): 'result' | 'answer' | undefined {
  let isInside = false;
  for (const event of logOf(session, turn)) {
    if (event.agent !== agent) continue;
    if (event.type === 'step-start') isInside = event.step === step - 1;
    if (isInside && 'edited' in event && event.edited) {
      return event.type === 'text-start' ? 'answer' : 'result';
    }
  }
  return undefined;
}

/** The runs as a tree; a run whose parent is not in the list is one of the roots. */
export function forkTree(items: readonly ForkItem[]): readonly ForkNode[] {
  const ids = new Set(items.map(({ id }) => id));
  const nodesBelow = (parent: string | undefined, above: ReadonlySet<string>): readonly ForkNode[] =>
    items
      .filter((item) => {
        const own = item.parent !== undefined && ids.has(item.parent.id) ? item.parent.id : undefined;
        return own === parent && !above.has(item.id);
      })
      .map((item) => ({ ...item, forks: nodesBelow(item.id, new Set([...above, item.id])) }));
  return nodesBelow(undefined, new Set());
}
