/** The limits of one run of a script. */
export const defaultLimits = {
  /** Model calls. */
  calls: 100,
  /** Model calls at the same time; further calls wait. */
  concurrentCalls: 4,
  /** Input and output tokens of all calls; checked before each call. */
  totalTokens: 2_000_000,
  /** Characters in one message out of the sandbox. */
  messageLength: 8_000_000,
  /** Characters in all messages out of the sandbox together. */
  totalLength: 64_000_000,
  /** Tasks, steps, tool calls, warnings and other lists, of each kind. */
  entries: 1_000,
  /** Definitions whose lines the page keeps; further ones are ignored. */
  definitions: 2_000,
  /** Messages that the page has not read yet, before the worker is ended. */
  unreadMessages: 5_000,
  /** Milliseconds without a sign of life, before the worker is ended. */
  silence: 3_000,
  /** Milliseconds that a stopped script has to end by itself. */
  grace: 250,
  /** Milliseconds that frame and worker have to start. */
  boot: 20_000,
  /** Milliseconds in which a waiting worker must answer before it gets a script. */
  check: 1_000,
  /** Milliseconds that a script has to make its first request for a preview. */
  preview: 5_000,
  /** Characters in one command of the user, such as the arguments of an approved call. */
  commandLength: 1_000_000,
  /** Commands that wait for a reply; further ones are refused. */
  openCommands: 32,
  /** Milliseconds that a command waits for its reply. */
  reply: 5_000,
};

export type SandboxLimits = typeof defaultLimits;

/** How many lines of a script's console reach the page in one turn of a run; further ones are dropped. */
export const CONSOLE_LINES = 500;
