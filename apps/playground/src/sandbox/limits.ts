/** The limits of one run of a script, each with a default. */
export type SandboxLimits = {
  /** Model calls. Default 100. */
  calls: number;
  /** Model calls at the same time; further calls wait. Default 4. */
  concurrentCalls: number;
  /** Input and output tokens of all calls; checked before each call. Default 2,000,000. */
  totalTokens: number;
  /** Characters in one message out of the sandbox. Default 8,000,000. */
  messageLength: number;
  /** Characters in all messages out of the sandbox together. Default 64,000,000. */
  totalLength: number;
  /** Tasks, steps, tool calls, warnings and other lists, of each kind. Default 1,000. */
  entries: number;
  /** Definitions whose lines the page keeps; further ones are ignored. Default 2,000. */
  definitions: number;
  /** Messages that the page has not read yet, before the worker is ended. Default 5,000. */
  unreadMessages: number;
  /** Milliseconds without a sign of life, before the worker is ended. Default 3,000. */
  silence: number;
  /** Milliseconds that a stopped script has to end by itself. Default 250. */
  grace: number;
  /** Milliseconds that frame and worker have to start. Default 20,000. */
  boot: number;
  /** Milliseconds in which a waiting worker must answer before it gets a script. Default 1,000. */
  check: number;
  /** Milliseconds that a script has to make its first request for a preview. Default 5,000. */
  preview: number;
  /** Characters in one command of the user, such as the arguments of an approved call. Default 1,000,000. */
  commandLength: number;
  /** Commands that wait for a reply; further ones are refused. Default 32. */
  openCommands: number;
  /** Milliseconds that a command waits for its reply. Default 5,000. */
  reply: number;
};

export const defaultLimits: SandboxLimits = {
  calls: 100,
  concurrentCalls: 4,
  totalTokens: 2_000_000,
  messageLength: 8_000_000,
  totalLength: 64_000_000,
  entries: 1_000,
  definitions: 2_000,
  unreadMessages: 5_000,
  silence: 3_000,
  grace: 250,
  boot: 20_000,
  check: 1_000,
  preview: 5_000,
  commandLength: 1_000_000,
  openCommands: 32,
  reply: 5_000,
};

/** How many lines of a script's console reach the page in one turn of a run; further ones are dropped. */
export const CONSOLE_LINES = 500;
