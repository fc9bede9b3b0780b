import type { PromptTypes } from '../base/prompt-types.ts';
import { isPending } from '../log/reduce.ts';
import type { FollowedRun } from './run-client-tool.ts';
import type * as Page from './run-client-tools.ts';

/** What the function of a client tool gets besides the arguments. */
export type ClientToolContext = {
  toolCallId: string;
  /** Aborts when the call needs no answer any more: it was answered elsewhere, its time is up, or the run has ended. */
  signal: AbortSignal;
};

/** A function of the page that answers the calls of a client tool. What it throws is an error that the model reads. */
export type ClientToolFunction<Input = unknown, Output = unknown> = (
  input: Input,
  context: ClientToolContext,
) => Output | Promise<Output>;

/** As a method, so that a function may say what arguments it takes where TypeScript cannot know. */
export type AnyClientToolFunction = { call(input: unknown, context: ClientToolContext): unknown }['call'];

/**
 * The page's functions for the client tools of a prompt, by the tools' names. Those that the definition declares in its
 * `tools` are known with their arguments and results; where it declares none, any name is taken.
 */
export type ClientTools<Types extends PromptTypes = PromptTypes> = Types extends {
  clientTools: infer Tools extends Record<string, { input: unknown; output: unknown }>;
}
  ? keyof Tools extends never
    ? Readonly<Record<string, AnyClientToolFunction>>
    : { readonly [Name in keyof Tools]?: ClientToolFunction<Tools[Name]['input'], Tools[Name]['output']> }
  : Readonly<Record<string, AnyClientToolFunction>>;

/** What answers the client tools of one run in this page. */
export type ClientToolRunner = {
  /** Has these functions answer from now on, calls that wait included. Returns the way to take them back. */
  provide(tools: Readonly<Record<string, AnyClientToolFunction>>): () => void;
  /** Answers the calls that this work waits for, and those that it will make. */
  follow(attempt: FollowedRun & { readonly replays: boolean }): void;
};

/** A runner without functions. */
export function createClientToolRunner(): ClientToolRunner {
  /** The latest last, which is the one that counts. */
  const provided: Readonly<Record<string, AnyClientToolFunction>>[] = [];
  const looks = new Set<() => void>();

  return {
    provide(tools) {
      // of its own, so that the same functions may be given twice
      const own = { ...tools };
      provided.push(own);
      for (const look of looks) look();
      return () => {
        const index = provided.indexOf(own);
        if (index >= 0) provided.splice(index, 1);
      };
    },
    follow(attempt) {
      const { log, replays } = attempt;
      if (replays || log.ended) return;
      const look = (): void => {
        const asks = (): boolean => log.getState().clientToolCalls.some(isPending);
        // a page that cannot load it leaves the calls to others
        if (provided.length > 0 && asks())
          loadPage().then(
            (page) => page.runClientTools(attempt, provided),
            () => {},
          );
      };
      looks.add(look);
      const unlisten = log.listen((event) => {
        if (event.type === 'client-tool-request' || event.type === 'client-tool-claim') look();
        if (event.type !== 'run-end') return;
        looks.delete(look);
        unlisten();
      });
      look();
    },
  };
}

/** What runs calls comes with the first one. */
function loadPage(): Promise<typeof Page> {
  return import('./run-client-tools.ts');
}
