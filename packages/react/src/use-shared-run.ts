import { CuelineError, type PromptDefinition, type PromptTypes, type RunEvent } from '@cueline/core';
import { useContext, useEffect, useId, useState } from 'react';
import { PromptContext } from './prompt-provider.ts';
import { createRunRegistry } from './run-registry.ts';
import type { RunConfig, SharedRun } from './shared-run.ts';

/** The settings of a run that this component is the first to show: it may be restored before any effect runs. */
export type OpeningConfig<Input, Types extends PromptTypes> = RunConfig<Input, Types> & {
  definition: PromptDefinition<Input, Types>;
  log: readonly RunEvent[] | undefined;
};

/**
 * The run to show: by id from the provider, or this component's own. There is no global registry: on a server,
 * all users would share it, and an id that silently shares nothing would be a trap.
 */
export function useSharedRun<Input, Types extends PromptTypes>(
  id: string | undefined,
  opening: OpeningConfig<Input, Types>,
  onUnmount: 'keep' | 'stop',
): SharedRun<Input, Types> {
  const { registry, storage } = useContext(PromptContext);
  const [own] = useState(createRunRegistry);
  const componentId = useId();
  if (id !== undefined && registry === undefined) {
    throw new CuelineError(
      'invalid_options',
      `Run "${id}" needs a <PromptProvider> above usePrompt. Add one, or omit the id.`,
    );
  }
  const { definition } = opening;
  const run =
    id === undefined || registry === undefined
      ? own.open(`${componentId}${definition.name}`, definition, opening)
      : registry.open(id, definition, { ...opening, storage });

  useEffect(() => {
    const release = run.hold();
    return () => release(onUnmount);
  }, [run, onUnmount]);
  return run;
}
