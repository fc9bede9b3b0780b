/** How to reach Restate. */
export type RestateIngress = {
  /** The address at which Restate takes calls, such as `http://localhost:8080`. */
  ingress: string;
  /** Headers of each call, such as `authorization` for Restate Cloud. */
  headers?: Readonly<Record<string, string>>;
  /** How long a call is tried again while Restate is unavailable, in milliseconds, before it fails. Default 10,000. */
  timeoutMs?: number;
};

/**
 * Sends a call, which Restate stores and makes later. A call that arrives twice causes one more step, which is
 * harmless. It has no idempotency key: with one, Restate would drop the call for a later response as a repetition.
 */
export async function send(
  { ingress, headers, timeoutMs = 10_000 }: RestateIngress,
  call: string,
): Promise<void> {
  const url = `${ingress.replace(/\/+$/, '')}/${call}/send`;
  const until = Date.now() + timeoutMs;
  for (let pause = 50; ; pause = Math.min(pause * 2, 1_000)) {
    const failure = await trySend(url, { ...headers }, Math.max(until - Date.now(), 1_000));
    if (failure === undefined) return;
    if (!failure.isTemporary || Date.now() + pause > until) throw failure.error;
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

/** Sends a call once. Returns undefined, or why Restate did not accept it and whether another attempt may succeed. */
async function trySend(
  url: string,
  headers: Record<string, string>,
  ms: number,
): Promise<{ error: Error; isTemporary: boolean } | undefined> {
  let response: Response;
  try {
    response = await fetch(url, { method: 'POST', headers, signal: AbortSignal.timeout(ms) });
  } catch (cause) {
    const error = new Error(`Restate does not answer at ${url}. Start Restate, or correct \`ingress\`.`, {
      cause,
    });
    return { error, isTemporary: true };
  }
  const text = await response.text();
  if (response.ok) return undefined;
  const { status } = response;
  const unknown = status === 404;
  const advice = unknown
    ? ' Register the address of the service: restate deployments register http://localhost:9080.'
    : '';
  const error = new Error(`Restate did not accept ${url}: ${status} ${text.slice(0, 500)}.${advice}`);
  return { error, isTemporary: unknown || status === 429 || status >= 500 };
}
