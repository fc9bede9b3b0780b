/**
 * The methods that the store uses of a client of the `redis` package. Pass a connected client, from `createClient()` or
 * `createCluster()`. The caller owns it, and listens for its errors.
 */
export type RedisClient = {
  eval(script: string, options: ScriptOptions): Promise<unknown>;
  evalSha(sha: string, options: ScriptOptions): Promise<unknown>;
};

export type ScriptOptions = { keys: string[]; arguments: string[] };

/** Runs a script. Its reply is a number, a text, a list of texts, or undefined. */
export type RedisScript = (client: RedisClient, keys: string[], args: string[]) => Promise<Reply>;

export type Reply = number | string | string[] | undefined;

/** Creates a script that is called by its hash. Its text is sent only if the server does not know the hash. */
export function createScript(source: string): RedisScript {
  let hash: Promise<string> | undefined;
  return async (client, keys, args) => {
    const sha = await (hash ??= sha1(source));
    const options = { keys, arguments: args };
    try {
      const reply = await client.evalSha(sha, options).catch((error: unknown) => {
        if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error;
        return client.eval(source, options);
      });
      return readReply(reply);
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

/** Converts a reply, whose texts may be bytes: a client can be set to return these. */
function readReply(reply: unknown): Reply {
  if (reply === null || reply === undefined) return undefined;
  if (Array.isArray(reply)) return reply.map(String);
  return typeof reply === 'number' ? reply : (reply as { toString(): string }).toString();
}

async function sha1(text: string): Promise<string> {
  const hash = await crypto.subtle.digest('SHA-1', new TextEncoder().encode(text));
  return [...new Uint8Array(hash)].map((byte) => byte.toString(16).padStart(2, '0')).join('');
}
