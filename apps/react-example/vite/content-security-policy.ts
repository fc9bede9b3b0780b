import type { Plugin } from 'vite';

/** Nothing from elsewhere, no inline script or style, no `eval`. Models by address need theirs in `connect-src`. */
const policy = [
  "default-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "img-src 'self' data:",
].join('; ');

/** Puts the policy into the built index.html; the dev server needs inline scripts and goes without. */
export function contentSecurityPolicy(): Plugin {
  return {
    name: 'react-example:content-security-policy',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: () => [
        {
          tag: 'meta',
          attrs: { 'http-equiv': 'Content-Security-Policy', content: policy },
          injectTo: 'head-prepend',
        },
      ],
    },
  };
}
