import {
  CuelineError,
  isUnderWay,
  type PromptDefinition,
  type PromptTypes,
  type RunOptions,
  type RunSettings,
} from '@cueline/core';
import { createSharedRun, type SharedRun } from './shared-run.ts';

/** A run of whatever prompt. */
export type AnyRun = SharedRun<never>;

/** What a run begins with where the registry has none of its id yet. */
export type InitialRunOptions = Pick<RunOptions, 'log' | 'storage'> &
  RunSettings & {
    /** What holds where nothing else is said. */
    defaults?: RunSettings;
  };

/** The runs of an application by id. They live as long as it does, whichever components come and go. */
export type RunRegistry = {
  /**
   * The run with this id; made, but not started, where there is none, with the log or what the storage has of it. One
   * that was only opened is forgotten where nobody keeps a reference to it. Throws `invalid_options` where the id
   * belongs to a run of another prompt.
   */
  open<Input, Types extends PromptTypes>(
    id: string,
    definition: PromptDefinition<Input, Types>,
    opening?: InitialRunOptions,
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
  /** Those that were opened and no more: a render may be thrown away, and nobody would say so. */
  const opened = new Map<string, WeakRef<AnyRun>>();
  /** Those that were shown and are no more, the one unseen for longest first. */
  const unseen = new Set<AnyRun>();

  function find(id: string): AnyRun | undefined {
    return runs.get(id) ?? opened.get(id)?.deref();
  }

  function keep(run: AnyRun): void {
    if (opened.get(run.id)?.deref() !== run) return;
    opened.delete(run.id);
    runs.set(run.id, run);
  }

  function isUnseen(run: AnyRun): boolean {
    return !run.held && runs.get(run.id) === run;
  }

  /** Bounds what nobody sees: what it costs where it is under way, and what it takes up where it is not. */
  function letGo(run: AnyRun): void {
    unseen.delete(run);
    unseen.add(run);
    const latestFirst = [...unseen].filter(isUnseen).toReversed();
    for (const one of latestFirst.filter(isRunning).slice(maxBackground)) one.stop();
    for (const one of latestFirst.filter((one) => !isRunning(one)).slice(maxKept)) runs.delete(one.id);
    for (const one of unseen) if (!isUnseen(one)) unseen.delete(one);
    for (const id of opened.keys()) if (find(id) === undefined) opened.delete(id);
  }

  return {
    open<Input, Types extends PromptTypes>(
      id: string,
      definition: PromptDefinition<Input, Types>,
      opening: InitialRunOptions = {},
    ): SharedRun<Input, Types> {
      const known = find(id);
      if (known === undefined) {
        const made: SharedRun<Input, Types> = createSharedRun(id, definition, {
          ...opening,
          onLetGo: () => letGo(made),
          onUse: () => keep(made),
        });
        opened.set(id, new WeakRef(made));
        return made;
      }
      if (known.definition.name !== definition.name) {
        throw new CuelineError(
          'invalid_options',
          `The id "${id}" belongs to a run of the prompt "${known.definition.name}", not of "${definition.name}". ` +
            'Give each prompt its own ids.',
        );
      }
      // the name stands for the types: that is what definitions are named for
      return known as unknown as SharedRun<Input, Types>;
    },
    get: find,
    runs: () => [...runs.keys(), ...opened.keys()].flatMap((id) => find(id) ?? []),
    remove(id) {
      find(id)?.stop();
      runs.delete(id);
      opened.delete(id);
    },
  };
}

function isRunning(run: AnyRun): boolean {
  return isUnderWay(run.getState());
}
