import type { ClientToolContext, ClientTools, PromptTypes, Run } from '@cueline/core';
import { useEffect } from 'react';
import { useLatest } from './use-latest.ts';

type Functions = Readonly<Record<string, (input: unknown, context: ClientToolContext) => unknown>>;

/**
 * Lets the component's functions answer the calls of client tools while it is mounted, in the version of the
 * last render. A function that has begun continues after the component unmounts.
 */
export function useClientTools<Types extends PromptTypes>(
  run: Pick<Run<never, Types>, 'provideTools'>,
  tools: ClientTools<Types> | undefined,
): void {
  // only the caller knows the types of the tools
  const functions = (tools ?? {}) as Functions;
  const latest = useLatest(functions);
  // names of tools contain no spaces
  const names = Object.keys(functions)
    .filter((name) => functions[name])
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
