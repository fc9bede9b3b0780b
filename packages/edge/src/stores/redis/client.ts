import { checkStore } from '../../base/check-store.ts';

/**
 * The members that are used of a client of the `redis` package: a connected one, made by `createClient()` or
 * `createCluster()`. It belongs to the caller, who also listens to its errors.
 */
export type RedisClient = {
  /** False once it is closed. */
  readonly isOpen: boolean;
  eval(script: string, options: ScriptOptions): Promise<unknown>;
  evalSha(sha: string, options: ScriptOptions): Promise<unknown>;
  duplicate(): RedisSubscriber;
};

/** A separate connection, for published messages. */
export type RedisSubscriber = {
  connect(): Promise<unknown>;
  destroy(): void;
  on(event: 'error' | 'ready' | 'end', listener: () => void): unknown;
  subscribe(channel: string, listener: (message: string, channel: string) => void): Promise<unknown>;
  unsubscribe(channel: string): Promise<unknown>;
};

/**
 * Checks that a client has the methods of one: otherwise each request would be refused as if Redis were away.
 * @throws CuelineError `invalid_options`
 */
export function checkClient(where: string, client: RedisClient): void {
  checkStore(
    `The client of ${where}`,
    client ?? {},
    ['eval', 'evalSha'],
    `${where}(await createClient({ url }).connect()), with the client of the package 'redis'`,
  );
}

/** The keys and the arguments of a script. */
export type ScriptOptions = { keys: string[]; arguments: string[] };

/** The reply of a script. A client may be set to return text as bytes, so use {@link replyText} to read it. */
export type Reply = unknown;

export type RedisScript = (client: RedisClient, keys: string[], args: string[]) => Promise<Reply>;

/** A script that the server caches by its hash, so that its text is sent only if the server does not know it. */
export function createScript(source: string): RedisScript {
  let hash: Promise<string> | undefined;
  return async (client, keys, args) => {
    const sha = await (hash ??= sha1(source));
    const options = { keys, arguments: args };
    try {
      return await client.evalSha(sha, options).catch((error: unknown) => {
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
        return client.eval(source, options);
      });
    } catch (error) {
      throw withMessage(error);
    }
  };
}

/** Returns the error, or one with a message: the `redis` package reports a missing answer without any. */
function withMessage(error: unknown): unknown {
  if (!(error instanceof Error) || error.message !== '') return error;
  return new Error('Redis did not answer in time. Check that the server is up.', { cause: error });
}

/** A text of a reply; undefined if there is none. */
export function replyText(value: Reply): string | undefined {
  return value === null || value === undefined ? undefined : (value as { toString(): string }).toString();
}

/** The texts of a reply that is a list. */
export function replyTexts(value: Reply): string[] | undefined {
  return Array.isArray(value) ? value.map(String) : undefined;
}

async function sha1(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
