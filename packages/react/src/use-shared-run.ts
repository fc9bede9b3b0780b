import { CuelineError, type PromptDefinition, type PromptTypes, type RunEvent } from '@cueline/core';
import { useContext, useEffect, useId, useState } from 'react';
import { PromptContext } from './prompt-provider.tsx';
import { createRunRegistry } from './run-registry.ts';
import type { SharedRun } from './shared-run.ts';

export type SharedRunOptions = {
  id: string | undefined;
  initialLog: readonly RunEvent[] | undefined;
  onUnmount: 'keep' | 'stop';
};

/**
 * The run to show: by id from the provider, else this component's own. There is no registry for the whole page,
 * because on a server that would be one for all users, and an id that quietly shared nothing would be a trap.
 */
export function useSharedRun<Input, Types extends PromptTypes>(
  definition: PromptDefinition<Input, Types>,
  { id, initialLog: log, onUnmount }: SharedRunOptions,
): SharedRun<Input, Types> {
  const { registry, storage } = useContext(PromptContext);
  const [own] = useState(createRunRegistry);
  const componentId = useId();
  if (id !== undefined && registry === undefined) {
    throw new CuelineError(
      'invalid_options',
      `usePrompt was given the id "${id}", but there is no <PromptProvider> above it to keep runs by id. ` +
        'Wrap the app in <PromptProvider>, or leave the id out.',
    );
  }
  const run =
    id === undefined || registry === undefined
      ? own.open(`${componentId}${definition.name}`, definition, { log })
      : registry.open(id, definition, { log, storage });

  useEffect(() => {
    const letGo = run.hold();
    return () => letGo(onUnmount);
  }, [run, onUnmount]);
  return run;
}
