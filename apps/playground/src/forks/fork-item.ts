import type { RunState } from '@cueline/core';
import { logOf } from '../state/shown-run.ts';
import type { ForkPoint, RunSession } from '../state/store.ts';
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
  const rootOf = (session: RunSession): string => {
    const seen = new Set<string>();
    let top = session;
    for (;;) {
      const parent = byId.get(top.parent?.id ?? '');
      // an imported session may name itself as its parent
      if (parent === undefined || seen.has(top.id)) return top.id;
      seen.add(top.id);
      top = parent.session;
    }
  };
  const shown = byId.get(id ?? '');
  if (shown === undefined) return [];
  const root = rootOf(shown.session);
  return kept
    .filter(({ session }) => rootOf(session) === root)
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

/** The step at which a fork departs from its parent, and what was changed. */
function describe(session: RunSession, parent: RunSession | undefined): string[] {
  const { parent: point } = session;
  if (point === undefined) return session.recorded ? ['recording'] : session.shared ? ['shared'] : [];
  const edited = editedIn(session, point);
  const script =
    parent !== undefined &&
    'script' in session.source &&
    'script' in parent.source &&
    session.source.script !== parent.source.script;
  const name = agentNameOf(session, point);
  const of = name === undefined ? '' : ` of ${name}`;
  return [
    edited === undefined ? `from step ${point.step + 1}${of}` : `${edited} edited in step ${point.step}${of}`,
    ...(script ? ['script edited'] : []),
  ];
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
