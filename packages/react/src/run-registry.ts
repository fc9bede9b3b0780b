import { CuelineError, type PromptDefinition } from '@cueline/core';
import { createSharedRun, type SharedRun } from './shared-run.ts';

/** The runs of an application by id. They live as long as it does, whichever components come and go. */
export type RunRegistry = {
  /**
   * The run with this id; made, but not started, where there is none. Throws `invalid_options` where the id belongs to
   * a run of another prompt.
   */
  open<Input>(id: string, definition: PromptDefinition<Input>): SharedRun<Input>;
};

/** An empty registry. `PromptProvider` makes its own; pass one to it to reach the same runs from outside React. */
export function createRunRegistry(): RunRegistry {
  const runs = new Map<string, SharedRun<unknown>>();

  return {
    open<Input>(id: string, definition: PromptDefinition<Input>): SharedRun<Input> {
      const known = runs.get(id);
      if (known === undefined) {
        const made = createSharedRun(id, definition);
        runs.set(id, made as unknown as SharedRun<unknown>);
        return made;
      }
      if (known.definition.name !== definition.name) {
        throw new CuelineError(
          'invalid_options',
          `The id "${id}" belongs to a run of the prompt "${known.definition.name}", so it cannot name one of ` +
            `"${definition.name}". Give each prompt its own ids, such as "${definition.name}:${id}".`,
        );
      }
      // the name stands for the input's type: that is what definitions are named for
      return known;
    },
  };
}
