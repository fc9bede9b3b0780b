import { startModelServer } from '../server/server.ts';
import { expect, good, scriptWithTool, test } from './sandbox-support.ts';

const hangs = 'blocked its worker for 3 s';

test.describe('a script that never returns', () => {
  // other pages use the same cores; a page that waited for the script would pause for all of its 3 s
  const pause = 2_500;
  // with room for a busy machine: a page that kept reading messages would stay blocked much longer
  const busy = 4_000;
  const phases: [where: string, script: string, says: string, mostPause?: number][] = [
    ['at the top', 'for (;;) {}\nexport default () => {};', hangs],
    ['in microtasks', scriptWithTool('while (true) await 0;'), hangs],
    [
      'in a flood of messages',
      scriptWithTool(
        'setInterval(() => { for (let i = 0; i < 5000; i++) Promise.reject(new Error()); }); await new Promise(() => {});',
      ),
      'faster than they can be read',
      busy,
    ],
    [
      'in more messages than a run may queue',
      scriptWithTool(
        "setInterval(() => Promise.reject(new Error('x'.repeat(1_000_000))), 5); await new Promise(() => {});",
      ),
      'more than 64 million characters',
      busy,
    ],
    ['in the prompt function', 'export default (prompt) => {\n  prompt.$`Hi`;\n  for (;;) {}\n};', hangs],
    [
      'while it fills the memory',
      scriptWithTool('const all = []; for (;;) all.push(new Array(1e6).fill(1));'),
      hangs,
    ],
    ['in a tool', scriptWithTool('for (;;) {}'), hangs],
  ];
  /** To the page, these are like the first one. */
  const alike = new Set(['in the prompt function', 'while it fills the memory', 'in a tool']);

  // one after another in one page, which shows that it stays responsive
  for (const isLong of [false, true]) {
    test(
      `is ended in ${isLong ? 'other phases' : 'every kind of phase'} in which it can hang, and the page stays responsive`,
      { tag: isLong ? ['@long'] : [] },
      async ({ page, playground }) => {
        await playground.open(good);
        await playground.editorReady();
        for (const [where, script, says, most = pause] of phases.filter(
          ([name]) => alike.has(name) === isLong,
        )) {
          await test.step(where, async () => {
            await playground.replace(script);
            const began = performance.now();
            await playground.run();
            await playground.ended('error');
            // it is this run that has ended, not the one before
            if (says === hangs) expect(performance.now() - began).toBeGreaterThan(2_500);
            await expect(page.getByTestId('run-error')).toContainText(says);
            expect(await playground.longestPause()).toBeLessThan(most);
          });
        }
        await expect(page.locator('[data-tool=go]')).toHaveAttribute('data-state', 'interrupted');
      },
    );
  }

  test(
    'can be stopped before that, and the next script runs',
    { tag: '@long' },
    async ({ page, playground }) => {
      await playground.open(scriptWithTool('for (;;) {}'));
      await playground.editorReady();
      await playground.run();
      await expect(page.locator('[data-tool=go]')).toHaveAttribute('data-state', 'running');
      const took = await page.evaluate(
        () =>
          new Promise<number>((resolve) => {
            const pressed = performance.now();
            const status = document.querySelector<HTMLElement>('[data-testid=status]');
            if (status === null)
              throw new Error('The page shows no run status. Expected the status of the first run.');
            new MutationObserver(() => {
              if (status.dataset['status'] === 'stopped') resolve(performance.now() - pressed);
            }).observe(status, { attributes: true });
            document.querySelector<HTMLElement>('[data-testid=stop-button]')?.click();
          }),
      );
      expect(took).toBeLessThan(pause);
      await playground.ended('stopped');
      await expect(page.locator('[data-tool=go]')).toHaveAttribute('data-state', 'interrupted');

      await playground.replace(good);
      await playground.run();
      await playground.ended('done');
    },
  );
});

test.describe('a forged sender in a message of a script', () => {
  test(
    'an error in the provider’s name counts as an error of the script, wherever the script throws it',
    { tag: '@long' },
    async ({ page, playground }) => {
      await playground.open(good);
      for (const [where, script] of [
        ['in the prompt function', 'export default () => { throw expired; };'],
        ['at the top', 'export default () => {};\nthrow expired;'],
      ] as const) {
        await test.step(where, async () => {
          await playground.replace(
            `import { CuelineError } from '@cueline/core';
          const expired = new CuelineError('auth', 'Expired ${where}. Renew it at https://evil.example');
          ${script}`,
          );
          await playground.run();
          await playground.ended('error');
          const error = page.getByTestId('run-error');
          await expect(error).toContainText(`Expired ${where}`);
          await expect(error).toContainText('The script has an error');
          await expect(error).not.toContainText('refused the key');
          await expect(error.getByRole('button', { name: 'Model settings' })).toHaveCount(0);
        });
      }
    },
  );

  test('events that the page could not show are left out', { tag: '@long' }, async ({ page, playground }) => {
    const model = 'openai:gpt-forged';
    const start = { type: 'run-start', t: 0, v: 2, runId: 'r', model, messages: [], messageId: 'a' };
    const events = [
      { ...start, messages: [null] },
      start,
      { type: 'step-start', t: 1, step: 0, request: { keep: 0, messages: [], instructions: {} } },
      { type: 'step-start', t: 1, step: 0, request: { keep: 0, messages: [], model } },
      { type: 'text-start', t: 1, id: '1' },
      { type: 'text-delta', t: 1e300, id: '1', text: 'forged but whole' },
      { type: 'run-end', t: 2, outcome: 'done' },
    ];
    await playground.open(
      `const events = ${JSON.stringify(events)};
      (Object.prototype as any).toJSON = function () {
        return this.type === 'events' ? { type: 'events', events } : this;
      };
      export default (prompt: any) => { prompt.$\`Hi\`; };`,
    );
    await playground.run();
    await playground.ended('done');
    await expect(page.getByText('forged but whole', { exact: true })).toBeVisible();
    // the page decides which model answers
    const run = page.getByRole('region', { name: 'Run' });
    await expect(run).toContainText('simulated');
    await expect(run).not.toContainText('gpt-forged');
    await expect(page.getByTestId('run-button')).toBeEnabled();
  });
});

test('a script cannot leave the sandbox by itself', async ({ page, playground, allowedHosts }) => {
  const outside = await startModelServer();
  allowedHosts.add(new URL(outside.baseURL).host);
  const url = `${outside.baseURL}/models?leak`;
  await playground.open(
    `
    const url = ${JSON.stringify(url)};
    const tries = {
      fetch: () => fetch(url, { mode: 'no-cors' }),
      XMLHttpRequest: () => new XMLHttpRequest(),
      WebSocket: () => new WebSocket(url.replace('http', 'ws')),
      EventSource: () => new EventSource(url),
      importScripts: () => importScripts(url),
      import: () => import(url),
      Worker: () => new Worker(url),
      eval: () => eval('1'),
      Function: () => new Function('return 1')(),
      timer: () => { if (typeof setTimeout('globalThis.hit = 1') === 'number') throw new Error('as text'); },
      localStorage: () => localStorage.length,
      indexedDB: () => indexedDB.open('x'),
      caches: () => caches.keys(),
      BroadcastChannel: () => new BroadcastChannel('x'),
      parent: () => parent.document,
      postMessage: () => postMessage('x'),
      OffscreenCanvas: () => new OffscreenCanvas(1, 1),
      RTCPeerConnection: () => new RTCPeerConnection(),
      gpu: () => navigator.gpu.requestAdapter,
    };
    const done = [];
    for (const [name, attempt] of Object.entries(tries)) {
      try { await attempt(); done.push(name); } catch {}
    }
    export default (prompt) => { prompt.$\`Done: [\${done.join(', ')}], hit: \${String(globalThis.hit)}\`; };
  `.replace('(0, import)(url)', 'import(url)'),
  );
  await playground.run();
  await playground.ended('done');
  await expect(page.getByLabel('User message')).toHaveText('Done: [], hit: undefined');
  expect(outside.requests).toEqual([]);
  await outside.close();
});

test('code that has replaced relay and worker cannot leave the frame', async ({
  page,
  playground,
  allowedHosts,
}) => {
  const outside = await startModelServer();
  const { host } = new URL(outside.baseURL);
  // The browser also reports requests that the policy stopped, so the test checks which requests arrive.
  allowedHosts.add(host);
  await playground.open(good);
  await expect(page.locator('iframe[title=Sandbox]')).toBeAttached();
  const before = await page.evaluate(() => {
    localStorage.setItem('mine', 'secret');
    return location.href;
  });

  const results = await page.evaluate(
    async ({ url, worker, relay }) => {
      const real = document.querySelector<HTMLIFrameElement>('iframe[title=Sandbox]');
      const frame = document.createElement('iframe');
      frame.setAttribute('sandbox', real?.getAttribute('sandbox') ?? '');
      frame.srcdoc = real?.srcdoc ?? '';
      document.body.append(frame);
      await new Promise((resolve) => frame.addEventListener('load', resolve));
      const { port1, port2 } = new MessageChannel();
      const answer = new Promise<Record<string, string>>((resolve) => {
        port1.addEventListener('message', ({ data }) => resolve(data as Record<string, string>));
        port1.start();
      });
      frame.contentWindow?.postMessage(
        { relay, runtime: `const url = ${JSON.stringify(url)};${worker}` },
        '*',
        [port2],
      );
      return answer;
    },
    { url: outside.baseURL, worker: hostileWorker, relay: hostileRelay },
  );

  const succeeded = Object.entries(results).filter(([, outcome]) => !outcome.startsWith('blocked'));
  expect(Object.keys(results).length, 'attempts made').toBeGreaterThan(20);
  expect(succeeded).toEqual([]);
  await page.waitForTimeout(300);
  expect(outside.requests).toEqual([]);
  expect(page.url()).toBe(before);
  await outside.close();
});

/** Tries everything that a worker could do; `post` reports the outcome. */
const hostileWorker = `
  const attempt = async (name, run) => {
    try {
      const result = await Promise.race([run(), new Promise((resolve) => setTimeout(resolve, 400, 'blocked: silence'))]);
      return [name, typeof result === 'string' ? result : 'went through'];
    } catch (error) { return [name, 'blocked: ' + error.name]; }
  };
  const opened = (target, event) => new Promise((resolve, reject) => {
    target.addEventListener(event, () => resolve());
    target.addEventListener('error', () => reject(new Error('refused')));
  });
  const blob = (text) => URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
  (async () => postMessage(Object.fromEntries(await Promise.all([
    attempt('worker fetch', () => fetch(url, { mode: 'no-cors' })),
    attempt('worker fetch keepalive', () => fetch(url, { method: 'POST', mode: 'no-cors', keepalive: true, body: 'x' })),
    attempt('worker xhr', () => { const x = new XMLHttpRequest(); x.open('GET', url); x.send(); return opened(x, 'load'); }),
    attempt('worker sync xhr', () => { const x = new XMLHttpRequest(); x.open('GET', url, false); x.send(); }),
    attempt('worker websocket', () => opened(new WebSocket(url.replace('http', 'ws')), 'open')),
    attempt('worker eventsource', () => opened(new EventSource(url), 'open')),
    attempt('worker importScripts', () => importScripts(url)),
    attempt('worker import', () => import(url)),
    attempt('worker import data', () => import('data:text/javascript,1')),
    attempt('worker eval', () => (0, eval)('1')),
    attempt('worker remote worker', () => opened(new Worker(url), 'message')),
    attempt('worker nested fetch', () => new Promise((resolve, reject) => {
      const nested = new Worker(blob('fetch(' + JSON.stringify(url) + ', { mode: "no-cors" }).then(() => postMessage(1), () => postMessage("blocked"))'));
      nested.onmessage = (event) => resolve(event.data);
      nested.onerror = reject;
    })),
    attempt('worker indexedDB', () => opened(indexedDB.open('cueline'), 'success')),
    attempt('worker caches', () => caches.keys()),
    attempt('worker storage', () => navigator.storage.getDirectory()),
    attempt('worker broadcast', () => { new BroadcastChannel('cueline').postMessage('x'); return 'blocked: another origin'; }),
  ]))))();
`;

/** Tries everything that the frame itself could do, then adds the worker's outcome. */
const hostileRelay = `
  globalThis.startRelay = async (port, boot) => {
    const url = /const url = "([^"]+)"/.exec(boot.runtime)[1];
    const results = {};
    const attempt = async (name, run) => {
      try {
        const result = await Promise.race([run(), new Promise((resolve) => setTimeout(resolve, 400, 'blocked: silence'))]);
        results[name] = typeof result === 'string' ? result : 'went through';
      } catch (error) { results[name] = 'blocked: ' + (error.name ?? error.type); }
    };
    const loaded = (element, source) => new Promise((resolve, reject) => {
      element.onload = resolve;
      element.onerror = reject;
      Object.assign(element, source);
      document.head.append(element);
    });
    await attempt('frame fetch', () => fetch(url, { mode: 'no-cors' }));
    await attempt('frame beacon', () => navigator.sendBeacon(url, 'x') ? 'blocked: queued, and counted by the server' : 'blocked');
    await attempt('frame image', () => loaded(new Image(), { src: url }));
    await attempt('frame script', () => loaded(document.createElement('script'), { src: url }));
    await attempt('frame style', () => loaded(document.createElement('link'), { rel: 'stylesheet', href: url }));
    await attempt('frame prefetch', () => loaded(document.createElement('link'), { rel: 'prefetch', href: url }));
    await attempt('frame inline script', () => new Promise((resolve, reject) => {
      const script = document.createElement('script');
      script.textContent = 'globalThis.ran = true';
      document.head.append(script);
      globalThis.ran ? resolve() : reject(new Error('refused'));
    }));
    await attempt('frame in frame', () => { const f = document.createElement('iframe'); f.src = url; document.documentElement.append(f); return new Promise((resolve) => setTimeout(resolve, 200, 'blocked: see the server')); });
    await attempt('frame form', () => { const f = document.createElement('form'); f.action = url; f.method = 'post'; document.documentElement.append(f); f.submit(); return 'blocked: see the server'; });
    await attempt('frame popup', () => { if (window.open(url) === null) throw new Error('refused'); });
    await attempt('frame localStorage', () => localStorage.getItem('mine'));
    await attempt('frame cookie', () => document.cookie);
    await attempt('frame parent', () => parent.document.title);
    await attempt('frame parent storage', () => parent.localStorage.getItem('mine'));
    await attempt('frame top navigation', () => { top.location.href = url; return new Promise((resolve) => setTimeout(resolve, 200, 'blocked: the page is still there')); });
    const worker = new Worker(URL.createObjectURL(new Blob([boot.runtime], { type: 'text/javascript' })));
    worker.onmessage = ({ data }) => {
      port.postMessage({ ...results, ...data });
      // The last attempt, because it may remove the frame, which could then report nothing.
      location.href = url + '?navigated';
    };
  };
`;
