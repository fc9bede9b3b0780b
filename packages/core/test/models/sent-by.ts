import { CuelineError } from '@cueline/core';
import { resolveModel } from '@cueline/core/models';
import { streamText } from 'ai';

/** The code and the message with which a model reference is refused. */
export const refusalOf = async (ref: string, env: Record<string, string>): Promise<string> => {
  const error: unknown = await resolveModel(ref, { env }).catch((thrown: unknown) => thrown);
  if (!CuelineError.isInstance(error)) throw new Error(`not refused: ${String(error)}`);
  return `${error.code}: ${error.message}`;
};

/** The address that a model asks, and the headers that it sends. */
export async function sentBy(
  ref: string,
  env: Record<string, string>,
): Promise<{ url: string; headers: Headers }> {
  let sent: { url: string; headers: Headers } | undefined;
  const model = await resolveModel(ref, {
    env,
    fetch: async (input, init) => {
      sent = { url: input as string, headers: new Headers(init?.headers) };
      return Response.json({}, { status: 400 });
    },
  });
  await streamText({ model, prompt: 'Hi', maxRetries: 0, onError: () => {} }).consumeStream();
  if (sent === undefined) throw new Error('nothing was sent');
  return sent;
}
