/** Static files as Workers bind them: a missing file is a 404. */
export type Assets = { fetch(request: Request): Promise<Response> };

type PageSettings = {
  /** `provider:model`, for which the page asks the proxy. */
  model: string;
  /** Begins a session; missing if the request has one. */
  cookie: string | undefined;
};

/** Answers with the built index.html, to which it adds the settings of the server. */
export async function servePage(
  request: Request,
  assets: Assets,
  { model, cookie }: PageSettings,
): Promise<Response> {
  // without the request's headers, so that the whole file is returned and never a 304
  const found = await assets.fetch(new Request(new URL('/', request.url)));
  if (!found.ok) return found;
  const tag = `<meta name="cueline-server" content="/api" data-model="${escape(model)}">`;
  const html = (await found.text()).replace('<head>', () => `<head>\n    ${tag}`);
  return new Response(request.method === 'HEAD' ? null : html, {
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      // a meta tag cannot set this part of the page's policy: no other site may frame the approval buttons
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
