import { createHash } from 'node:crypto';
import type { Plugin } from 'vite';
import { bootstrapSource } from '../src/sandbox/bootstrap.ts';

/**
 * The page's policy. `connect-src` allows any https host and this machine, because the user types the
 * provider's address while the page is open, and a meta tag cannot be changed afterwards; the sandbox frame's
 * own `connect-src 'none'` keeps scripts off the network. `frame-src 'self'` keeps that frame from navigating
 * away with data.
 */
export function policy(shares?: string): string {
  const bootstrap = createHash('sha256').update(bootstrapSource).digest('base64');
  return [
    "default-src 'self'",
    `script-src 'self' blob: 'sha256-${bootstrap}'`,
    "worker-src 'self' blob:",
    "frame-src 'self'",
    "object-src 'none'",
    "base-uri 'none'",
    "form-action 'none'",
    "img-src 'self' blob: data:",
    "font-src 'self' data:",
    // Monaco and the resizable panels write style attributes and style elements.
    "style-src 'self' 'unsafe-inline'",
    ["connect-src 'self' https: http://localhost:* http://127.0.0.1:*", ...originOf(shares)].join(' '),
  ].join('; ');
}

/** The origin of a share store that is not the page's own. */
function originOf(shares: string | undefined): string[] {
  return shares !== undefined && URL.canParse(shares) ? [new URL(shares).origin] : [];
}

/** Adds the Content-Security-Policy to the built index.html; the dev server needs inline scripts and has none. */
export function contentSecurityPolicy(shares?: string): Plugin {
  return {
    name: 'cueline:content-security-policy',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: () => [
        {
          tag: 'meta',
          attrs: { 'http-equiv': 'Content-Security-Policy', content: policy(shares) },
          injectTo: 'head-prepend',
        },
      ],
    },
  };
}
