import type { ModelMessage } from 'ai';
import { thrownText } from '../../base/error-source.ts';
import { copyPlain } from '../../json/copy-plain.ts';
import { isMessage } from '../../messages/is-message.ts';
import type { SessionLog } from './session-log.ts';
import type { SessionResult } from './session-result.ts';

export type ToolCallInfo = {
  toolCallId: string;
  toolName: string;
  /** The arguments of the model; a text if they are not JSON. */
  input: unknown;
  /** From 1. */
  turn: number;
};

export type ToolResultInfo = ToolCallInfo & { output: unknown };

/** The place of an error: a model call, a call's arguments, a tool, a summary, or the session itself. */
export type SessionPhase = 'llm' | 'tool_parsing' | 'tool_execution' | 'summarize' | 'session';

export type ErrorInfo = { phase: SessionPhase; error: Error; turn: number } & Partial<
  Pick<ToolCallInfo, 'toolCallId' | 'toolName' | 'input'>
>;

/** The callbacks of a session. Each is awaited before the next is called. One that throws stops nothing. */
export type SessionCallbacks = {
  /** Called before each model call. Turns count from 1. */
  onTurnStart?: (sessionId: string, turn: number) => void | Promise<void>;
  onAssistantMessage?: (sessionId: string, text: string, turn: number) => void | Promise<void>;
  /** Called for each call of an answer, before the first of them runs. */
  onToolCall?: (sessionId: string, info: ToolCallInfo) => void | Promise<void>;
  onToolResult?: (sessionId: string, info: ToolResultInfo) => void | Promise<void>;
  onError?: (sessionId: string, info: ErrorInfo) => void | Promise<void>;
  onComplete?: (sessionId: string, info: SessionResult) => void | Promise<void>;
  /**
   * Called with a copy of the conversation whenever it has grown: before tools run, with their calls, after each
   * turn, and after a summary. `initialMessages` takes the same messages.
   */
  onMessagesUpdate?: (sessionId: string, messages: ModelMessage[]) => void | Promise<void>;
  /**
   * Returns the messages to summarize. Messages that it leaves out are dropped unless `onAfterSummarize` adds them.
   */
  onBeforeSummarize?: (
    sessionId: string,
    messages: ModelMessage[],
  ) => ModelMessage[] | Promise<ModelMessage[]>;
  /** Returns the messages to continue with; by default the two messages of the summary. */
  onAfterSummarize?: (
    sessionId: string,
    summarizedMessages: ModelMessage[],
  ) => ModelMessage[] | Promise<ModelMessage[]>;
};

type Rest<Name extends keyof SessionCallbacks> =
  Parameters<NonNullable<SessionCallbacks[Name]>> extends [string, ...infer Given] ? Given : never;
type Plain = Exclude<keyof SessionCallbacks, 'onBeforeSummarize' | 'onAfterSummarize'>;

/** The callbacks of one session, in one queue. */
export type CallbackQueue = {
  /** Resolves once this callback, and all before it, are done. */
  call<Name extends Plain>(name: Name, ...given: Rest<Name>): Promise<void>;
  /** Returns a list of messages as changed by a callback; the same list if there is none, or if it fails. */
  change(
    name: 'onBeforeSummarize' | 'onAfterSummarize',
    messages: readonly ModelMessage[],
  ): Promise<readonly ModelMessage[]>;
  /** Resolves once the queue is empty. */
  drained(): Promise<void>;
};

export function createCallbackQueue(
  sessionId: string,
  callbacks: SessionCallbacks,
  { warn, note }: { warn: (message: string) => void; note: SessionLog },
): CallbackQueue {
  let last: Promise<unknown> = Promise.resolve();

  async function guarded(name: string, run: () => unknown): Promise<unknown> {
    try {
      return await run();
    } catch (error) {
      const message = `${name} threw: ${thrownText(error)}`;
      warn(message);
      note('error', message, { error });
      return undefined;
    }
  }

  function enqueue(name: string, run: () => unknown): Promise<unknown> {
    last = last.then(() => guarded(name, run));
    return last;
  }

  return {
    async call(name, ...given) {
      const callback = callbacks[name] as ((...all: unknown[]) => unknown) | undefined;
      if (callback === undefined) return void (await last);
      // the result is the promise that is awaited
      const copies = name === 'onComplete' ? given : given.map(copyOf);
      await enqueue(name, () => callback(sessionId, ...copies));
    },
    async change(name, messages) {
      const callback = callbacks[name];
      if (callback === undefined) return messages;
      const changed = await enqueue(name, async () =>
        checkList(await callback(sessionId, copyOf([...messages]))),
      );
      return (changed as ModelMessage[] | undefined) ?? messages;
    },
    async drained() {
      await last;
    },
  };
}

/** Returns a copy that a callback may modify: the log and the conversation have their own. */
function copyOf<Given>(given: Given): Given {
  if (Array.isArray(given)) return given.map(copyOf) as Given;
  try {
    return copyPlain(given) as Given;
  } catch {
    // arguments nested too deep
    return given;
  }
}

function checkList(given: unknown): ModelMessage[] {
  const isSaid = (value: unknown): boolean => isMessage(value) && value.role !== 'system';
  if (Array.isArray(given) && given.every(isSaid)) return given as ModelMessage[];
  throw new TypeError('It returns a list of messages of the user, the assistant and tools, and did not.');
}
