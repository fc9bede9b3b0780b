import type { PromptTypes } from '../log/state.ts';
import type { AnyClientToolFunction } from './run-client-tools.ts';
import { isPending } from '../log/pending.ts';
import type { ClientToolFunction, FollowedRun } from './run-client-tool.ts';
import type * as Page from './run-client-tools.ts';

/**
 * The page's functions for the client tools of a prompt, by tool name. For tools that the definition declares in
 * `tools`, their arguments and results are typed. If it declares none, any name is allowed.
 */
export type ClientTools<Types extends PromptTypes = PromptTypes> = Types extends {
  clientTools: infer Tools extends Record<string, { input: unknown; output: unknown }>;
}
  ? keyof Tools extends never
    ? Readonly<Record<string, AnyClientToolFunction>>
    : { readonly [Name in keyof Tools]?: ClientToolFunction<Tools[Name]['input'], Tools[Name]['output']> }
  : Readonly<Record<string, AnyClientToolFunction>>;

/** Runs the client tool calls of one run in this page. */
export type ClientToolRunner = {
  /** Uses these functions from now on, also for pending calls. Returns a function that removes them. */
  provide(tools: Readonly<Record<string, AnyClientToolFunction>>): () => void;
  /** Runs the pending calls of this attempt, and its later ones. */
  follow(attempt: FollowedRun & { readonly replays: boolean }): void;
};

/** Creates a runner without functions. */
export function createClientToolRunner(): ClientToolRunner {
  /** In the order in which they were provided. The last function of a name counts. */
  const provided: Readonly<Record<string, AnyClientToolFunction>>[] = [];
  const checks = new Set<() => void>();

  return {
    provide(tools) {
      // a copy, so that the same functions may be provided twice
      const own = { ...tools };
      provided.push(own);
      for (const check of checks) check();
      return () => {
        const index = provided.indexOf(own);
        if (index >= 0) provided.splice(index, 1);
      };
    },
    follow(attempt) {
      const { log, replays } = attempt;
      if (replays || log.ended) return;
      const check = (): void => {
        const asks = (): boolean => log.getState().clientToolCalls.some(isPending);
        // a page that cannot load the code leaves the calls to other pages
        if (provided.length > 0 && asks())
          loadPage().then(
            (page) => page.runClientTools(attempt, provided),
            () => {},
          );
      };
      checks.add(check);
      const unlisten = log.listen((event) => {
        if (event.type === 'client-tool-request' || event.type === 'client-tool-claim') check();
        if (event.type !== 'run-end') return;
        checks.delete(check);
        unlisten();
      });
      check();
    },
  };
}

/** Loads the code that runs calls, with the first call. */
function loadPage(): Promise<typeof Page> {
  return import('./run-client-tools.ts');
}
