import type { Assets } from './create-app.ts';

type Facts = {
  /** `provider:model`, which the page asks for by proxy. */
  model: string;
  /** Begins a session; missing where the request has one. */
  cookie: string | undefined;
};

/** The built index.html, which is told that there is a server behind it. On a plain static host it hears of none. */
export async function servePage(
  request: Request,
  assets: Assets,
  { model, cookie }: Facts,
): Promise<Response> {
  // without the request's headers, so that it comes whole and is no 304
  const found = await assets.fetch(new Request(new URL('/', request.url)));
  if (!found.ok) return found;
  const tag = `<meta name="cueline-server" content="/api" data-model="${escape(model)}">`;
  const html = (await found.text()).replace('<head>', () => `<head>\n    ${tag}`);
  return new Response(request.method === 'HEAD' ? null : html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      // the one part of the page's policy that a meta tag cannot say: approvals are clicks that nobody may lure
      'content-security-policy': "frame-ancestors 'none'",
      'referrer-policy': 'same-origin',
      'x-content-type-options': 'nosniff',
      ...(cookie === undefined ? {} : { 'set-cookie': cookie }),
    },
  });
}

function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');
}
