const hmac = { name: 'HMAC', hash: 'SHA-256' };

/** Who asks, where nobody signs in: a random name in a signed cookie. Put your own sign-in in its place. */
export type Sessions = {
  /** For `auth`: the session of a request, or null. */
  identify(request: Request): Promise<{ subject: string } | null>;
  /** The cookie for a page's answer that begins a session; undefined where there is one already. */
  begin(request: Request): Promise<string | undefined>;
};

/**
 * Sessions that are kept nowhere but in their cookie. A run belongs to its session, and so do the limits: whoever
 * deletes the cookie is somebody else, so this keeps people apart and does not bound what all of them cost. The cookie is
 * `Secure` and `__Host-` save on this machine without TLS; `secure` says otherwise.
 */
export function createSessions(secret: string, { secure }: { secure?: boolean } = {}): Sessions {
  const isSecure = (request: Request): boolean => secure ?? !isPlainLoopback(request);
  // with its prefix browsers take it from this host alone: no other of the domain can give its own session to a visitor
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
    // Lax, not Strict: whoever comes by a link from elsewhere would lose the session, and the runs with it
    return `${nameFor(request)}=${id}.${signature}; Path=/; HttpOnly; SameSite=Lax${secure}`;
  }

  return { identify, begin };
}

/**
 * True on this machine without TLS. Any other address is one that a browser reached by TLS: behind a proxy that ends it,
 * the request says `http:`, and its headers about that could be the caller's own.
 */
function isPlainLoopback({ url }: Request): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
}
