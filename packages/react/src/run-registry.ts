import {
  CuelineError,
  isInProgress,
  type PromptDefinition,
  type PromptTypes,
  type RunOptions,
  type RunSettings,
} from '@cueline/core';
import { createSharedRun, type AnyRun, type SharedRun } from './shared-run.ts';

/** The options of a run that the registry creates. */
export type InitialRunOptions = Pick<RunOptions, 'log' | 'storage'> &
  RunSettings & {
    /** Settings that apply unless a component sets others. */
    defaults?: RunSettings;
  };

/** The first event of a log: its start. */
type FirstEvent = { runId?: string };

/** The runs of an application by id. They live as long as the registry, whichever components mount and unmount. */
export type RunRegistry = {
  /**
   * The run with this id. A new one is created, but not started, with the log or with what the storage has of
   * it. Without `storage` the run is not stored, also under a provider with `persist`. A run that was only opened
   * is forgotten when no code refers to it. Throws `invalid_options` if the id belongs to a run of another prompt.
   */
  open<Input, Types extends PromptTypes>(
    id: string,
    definition: PromptDefinition<Input, Types>,
    opening?: InitialRunOptions,
  ): SharedRun<Input, Types>;
  /** The run with this id, if there is one. */
  get(id: string): AnyRun | undefined;
  /** All runs. */
  runs(): readonly AnyRun[];
  /** Stops a run and forgets it. Its storage keeps it. */
  remove(id: string): void;
};

/** The options of {@link createRunRegistry}. */
export type RunRegistryOptions = {
  /**
   * How many runs may be in progress without being shown. Beyond that, the one unseen for longest is stopped. Default
   * 8.
   */
  maxBackground?: number | undefined;
  /** How many ended runs are kept without being shown. Default 50. */
  maxKept?: number | undefined;
};

/**
 * An empty registry. `PromptProvider` makes its own; pass one to it to reach the same runs from outside React. On a
 * server, create one for each request: runs with the same id are shared. With an option that does not exist, its runs
 * end with `invalid_options`.
 */
export function createRunRegistry(options: RunRegistryOptions = {}): RunRegistry {
  const { maxBackground = 8, maxKept = 50, ...unknown } = options;
  /** By id. A run that was only opened is kept weakly: React may discard a render without telling us. */
  const runs = new Map<string, AnyRun | WeakRef<AnyRun>>();
  /** Runs that were shown and are no longer, the one unseen for longest first. */
  const unseen = new Set<AnyRun>();

  function find(id: string): AnyRun | undefined {
    const run = runs.get(id);
    return run instanceof WeakRef ? run.deref() : run;
  }

  function keep(run: AnyRun): void {
    if (find(run.id) === run) runs.set(run.id, run);
  }

  /** Limits runs that no component shows: the cost of running ones, and the memory of ended ones. */
  function release(run: AnyRun): void {
    unseen.delete(run);
    unseen.add(run);
    let running = 0;
    let ended = 0;
    for (const one of [...unseen].toReversed()) {
      if (one.held || runs.get(one.id) !== one) unseen.delete(one);
      else if (isInProgress(one.getState())) {
        if ((running += 1) > maxBackground) one.stopHere();
      } else if ((ended += 1) > maxKept) {
        runs.delete(one.id);
        unseen.delete(one);
      }
    }
    for (const id of runs.keys()) if (find(id) === undefined) runs.delete(id);
  }

  return {
    open<Input, Types extends PromptTypes>(
      id: string,
      definition: PromptDefinition<Input, Types>,
      opening?: InitialRunOptions,
    ): SharedRun<Input, Types> {
      const known = find(id);
      const first = opening?.log?.[0] as FirstEvent | undefined;
      // on a server, several users may open one id, each with a log of their own
      if (
        known === undefined ||
        (first && known !== runs.get(id) && first.runId !== (known.log()[0] as FirstEvent | undefined)?.runId)
      ) {
        // a run with an option that does not exist ends with an error that says what to write
        const made = createSharedRun(id, definition, { ...opening, ...unknown }, keep, release);
        runs.set(id, new WeakRef(made));
        return made;
      }
      if (known.definition.name !== definition.name) {
        throw new CuelineError(
          'invalid_options',
          `Run "${id}" is of the prompt "${known.definition.name}", not "${definition.name}". Use another id, or reload the page if you renamed it.`,
        );
      }
      // the cast relies on the name, which identifies the definition
      return known as unknown as SharedRun<Input, Types>;
    },
    get: find,
    runs: () => [...runs.keys()].flatMap((id) => find(id) ?? []),
    remove(id) {
      find(id)?.stop();
      runs.delete(id);
    },
  };
}
