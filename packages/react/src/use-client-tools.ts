import type { ClientToolContext, ClientTools, PromptTypes, Run } from '@cueline/core';
import { useEffect } from 'react';
import { useLatest } from './use-latest.ts';

type Functions = Readonly<Record<string, (input: unknown, context: ClientToolContext) => unknown>>;

/**
 * Has the component's functions answer the calls of client tools while it is mounted, always as the last render gave
 * them. A function that has begun goes on when the component goes.
 */
export function useClientTools<Types extends PromptTypes>(
  run: Pick<Run<never, Types>, 'provideTools'>,
  tools: ClientTools<Types> | undefined,
): void {
  // of the tools' types only the caller knows
  const functions = (tools ?? {}) as Functions;
  const latest = useLatest(functions);
  // the names of tools have no spaces
  const names = Object.keys(functions)
    .filter((name) => functions[name] !== undefined)
    .join(' ');
  useEffect(() => {
    if (names === '') return undefined;
    const provided = Object.fromEntries(
      names
        .split(' ')
        .map((name) => [
          name,
          (input: unknown, context: ClientToolContext) => latest.current[name]?.(input, context),
        ]),
    );
    return run.provideTools(provided as ClientTools<Types>);
  }, [run, names, latest]);
}
