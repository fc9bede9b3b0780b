import { CuelineError, type PromptDefinition, type PromptTypes, type RunOptions } from '@cueline/core';
import { createSharedRun, type SharedRun } from './shared-run.ts';

/** A run of whatever prompt. */
export type AnyRun = SharedRun<never>;

/** The runs of an application by id. They live as long as it does, whichever components come and go. */
export type RunRegistry = {
  /**
   * The run with this id; made, but not started, where there is none, with the log or what the storage has of it.
   * Throws `invalid_options` where the id belongs to a run of another prompt.
   */
  open<Input, Types extends PromptTypes>(
    id: string,
    definition: PromptDefinition<Input, Types>,
    opening?: Pick<RunOptions, 'log' | 'storage'>,
  ): SharedRun<Input, Types>;
  /** The run with this id, where there is one. */
  get(id: string): AnyRun | undefined;
  /** All runs. */
  runs(): readonly AnyRun[];
  /** Stops a run and forgets it. Its storage keeps it. */
  remove(id: string): void;
};

export type RunRegistryOptions = {
  /** How many runs may be under way that no component shows. Beyond it the one unseen for longest is stopped. Default 8. */
  maxBackground?: number;
  /** How many runs are kept that no component shows and that are not under way. Default 50. */
  maxKept?: number;
};

/** An empty registry. `PromptProvider` makes its own; pass one to it to reach the same runs from outside React. */
export function createRunRegistry(options: RunRegistryOptions = {}): RunRegistry {
  const { maxBackground = 8, maxKept = 50 } = options;
  const runs = new Map<string, AnyRun>();
  /** Those that were shown and are no more, the one unseen for longest first. */
  const unseen = new Set<AnyRun>();

  /** Bounds what nobody sees: what it costs where it is under way, and what it takes up where it is not. */
  function collect(): void {
    for (const run of unseen) if (run.held || runs.get(run.id) !== run) unseen.delete(run);
    const live = [...unseen].filter(isUnderWay);
    const kept = [...unseen].filter((run) => !isUnderWay(run));
    for (const run of live.slice(0, Math.max(0, live.length - maxBackground))) run.stop();
    for (const run of kept.slice(0, Math.max(0, kept.length - maxKept))) {
      runs.delete(run.id);
      unseen.delete(run);
    }
  }

  function letGo(run: AnyRun): void {
    unseen.delete(run);
    unseen.add(run);
    collect();
  }

  return {
    open<Input, Types extends PromptTypes>(
      id: string,
      definition: PromptDefinition<Input, Types>,
      opening: Pick<RunOptions, 'log' | 'storage'> = {},
    ): SharedRun<Input, Types> {
      const known = runs.get(id);
      if (known === undefined) {
        const made: SharedRun<Input, Types> = createSharedRun(id, definition, {
          ...opening,
          onLetGo: () => letGo(made),
        });
        runs.set(id, made);
        return made;
      }
      if (known.definition.name !== definition.name) {
        throw new CuelineError(
          'invalid_options',
          `The id "${id}" belongs to a run of the prompt "${known.definition.name}", so it cannot name one of ` +
            `"${definition.name}". Give each prompt its own ids, such as "${definition.name}:${id}".`,
        );
      }
      // the name stands for the types: that is what definitions are named for
      return known as unknown as SharedRun<Input, Types>;
    },
    get: (id) => runs.get(id),
    runs: () => [...runs.values()],
    remove(id) {
      runs.get(id)?.stop();
      runs.delete(id);
    },
  };
}

function isUnderWay(run: AnyRun): boolean {
  const { status } = run.getState();
  return status === 'running' || status === 'waiting';
}
