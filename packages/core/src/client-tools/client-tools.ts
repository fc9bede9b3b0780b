import { isPending } from '../log/pending.ts';
import type { PromptTypes } from '../log/state.ts';
import type { ClientToolFunction, FollowedRun } from './run-client-tool.ts';
import type { AnyClientToolFunction } from './run-client-tools.ts';
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
  /** Returns the functions that count at the moment. */
  all(): Readonly<Record<string, AnyClientToolFunction>>;
  /** Runs the pending calls of this attempt, and its later ones. */
  follow(attempt: FollowedRun & { readonly replays: boolean }): void;
};

/** Creates a runner without functions. */
export function createClientToolRunner(): ClientToolRunner {
  /** In the order in which they were provided. The last function of a name counts. */
  const provided = new Set<Readonly<Record<string, AnyClientToolFunction>>>();
  const checks = new Set<() => void>();

  return {
    provide(tools) {
      // a copy, so that the same functions may be provided twice
      const own = { ...tools };
      provided.add(own);
      for (const check of checks) check();
      return () => {
        provided.delete(own);
      };
    },
    all: () => Object.assign({}, ...provided) as ReturnType<ClientToolRunner['all']>,
    follow(attempt) {
      const { log, replays } = attempt;
      if (replays || log.ended) return;
      const check = (): void => {
        // a page that cannot load the code leaves the calls to other pages
        if (provided.size > 0 && log.getState().clientToolCalls.some(isPending))
          loadPage().then(
            (page) => page.runClientTools(attempt, provided),
            () => {},
          );
      };
      checks.add(check);
      log.listen(({ type }) => {
        if (type === 'client-tool-request' || type === 'client-tool-claim') check();
        if (type === 'run-end') checks.delete(check);
      });
      check();
    },
  };
}

/** Loads the code that runs calls, with the first call. */
function loadPage(): Promise<typeof Page> {
  return import('./run-client-tools.ts');
}
