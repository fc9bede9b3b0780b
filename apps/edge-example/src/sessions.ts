const hmac = { name: 'HMAC', hash: 'SHA-256' };

/** Identifies callers without a sign-in: a random name in a signed cookie. Replace it with your own sign-in. */
export type Sessions = {
  /** For `auth`: the session of a request, or null. */
  identify(request: Request): Promise<{ subject: string } | null>;
  /** The cookie of a response that begins a session; undefined if the request has one. */
  begin(request: Request): Promise<string | undefined>;
};

/**
 * Sessions that are stored only in their cookies. A run and its limits belong to a session. A user who deletes the
 * cookie gets a new session, so this separates users and does not bound their total cost. The cookie is `Secure` and
 * `__Host-`, except on this machine without TLS; `secure` overrides that.
 */
export function createSessions(secret: string, { secure }: { secure?: boolean } = {}): Sessions {
  const isSecure = (request: Request): boolean => secure ?? !isPlainLoopback(request);
  // with this prefix a browser accepts the cookie only from this host: no other host of the domain can set it
  const nameFor = (request: Request): string => (isSecure(request) ? '__Host-desk' : 'desk');
  const keyFor = (use: 'sign' | 'verify') =>
    crypto.subtle.importKey('raw', new TextEncoder().encode(secret), hmac, false, [use]);

  async function identify(request: Request): Promise<{ subject: string } | null> {
    const cookies = (request.headers.get('cookie') ?? '').split('; ');
    const ours = `${nameFor(request)}=`;
    const value = cookies.find((cookie) => cookie.startsWith(ours))?.slice(ours.length) ?? '';
    const [, id, signature] = /^([\w-]{36})\.([0-9a-f]{64})$/.exec(value) ?? [];
    if (id === undefined || signature === undefined) return null;
    const bytes = Uint8Array.from(signature.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
    const isOurs = await crypto.subtle.verify(
      hmac,
      await keyFor('verify'),
      bytes,
      new TextEncoder().encode(id),
    );
    return isOurs ? { subject: id } : null;
  }

  async function begin(request: Request): Promise<string | undefined> {
    if ((await identify(request)) !== null) return undefined;
    const id = crypto.randomUUID();
    const bytes = await crypto.subtle.sign(hmac, await keyFor('sign'), new TextEncoder().encode(id));
    const signature = Array.from(new Uint8Array(bytes), (byte) => byte.toString(16).padStart(2, '0')).join(
      '',
    );
    const secure = isSecure(request) ? '; Secure' : '';
    // Lax, not Strict: a user who follows a link from elsewhere would lose the session and its runs
    return `${nameFor(request)}=${id}.${signature}; Path=/; HttpOnly; SameSite=Lax${secure}`;
  }

  return { identify, begin };
}

/**
 * True on this machine without TLS. A browser reached any other address by TLS: behind a proxy that terminates it,
 * the request
 * says `http:`, and its headers about that could be the caller's own.
 */
function isPlainLoopback({ url }: Request): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
