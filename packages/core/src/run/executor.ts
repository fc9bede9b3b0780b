import type { LanguageModel, UIMessage } from 'ai';
import type { RunEvent } from '../log/events.ts';
import type { PromptDefinition } from '../prompt/define-prompt.ts';
import type { PromptOptions } from './options.ts';

/** What a run is asked to do. */
export type RunRequest<Input = unknown> = {
  definition: PromptDefinition<Input>;
  input: Input;
  /** Model to use instead of the definition's own. */
  model?: string | LanguageModel | undefined;
  options?: PromptOptions | undefined;
  /** Turns that follow the script's own messages: what the model answered before and what the user said since. */
  messages?: readonly UIMessage[] | undefined;
};

/**
 * Where a run happens: in this page, in a worker, on a server, or nowhere (a replay). Each gives the same events.
 * Aborting `signal` ends the run as `stopped`; the iteration ends after `run-end`.
 */
export type Executor = {
  start<Input>(request: RunRequest<Input>, signal: AbortSignal): AsyncIterable<RunEvent>;
};
