/**
 * The whole inline script of the sandbox frame. It takes one message from the page that created the frame, and starts
 * the relay in that message. It is a string, not a function, because two Content Security Policies contain its hash:
 * nothing may reformat it.
 */
export const bootstrapSource: string = `addEventListener('message', function boot(event) {
  if (event.source !== parent || event.ports.length !== 1) return;
  removeEventListener('message', boot);
  const script = document.createElement('script');
  script.src = URL.createObjectURL(new Blob([event.data.relay], { type: 'text/javascript' }));
  script.onload = () => {
    URL.revokeObjectURL(script.src);
    startRelay(event.ports[0], event.data);
  };
  document.head.append(script);
});`;

/** The policy of the frame, which its worker inherits: code only from blobs, no network, nothing else. */
export function framePolicy(bootstrapHash: string): string {
  return [
    "default-src 'none'",
    `script-src '${bootstrapHash}' blob:`,
    'worker-src blob:',
    "connect-src 'none'",
    "form-action 'none'",
    "base-uri 'none'",
  ].join('; ');
}

/** `sha256-…` of an inline script, as policies name it. Needs a secure context, or Node. */
export async function hashOf(source: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(source));
  return `sha256-${btoa(String.fromCharCode(...new Uint8Array(digest)))}`;
}
