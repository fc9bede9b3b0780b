import { expect, test as base, type BrowserContext, type Page } from '@playwright/test';
import { startEdgeServer, type EdgeServer } from './edge-server.ts';
import { watchFaults } from './faults.ts';
import { onPage as appOnPage, type App } from './react-example-page.ts';
import { storedData } from './stored-data.ts';

const places = ['page', 'proxied', 'route'] as const;
type Place = (typeof places)[number];

const test = base.extend<{ visit: (place: Place) => Promise<Visit> }, { edge: EdgeServer }>({
  edge: [
    // oxlint-disable-next-line no-empty-pattern -- Playwright reads the fixture names from this pattern
    async ({}, use) => {
      const edge = await startEdgeServer();
      await use(edge);
      await edge.close();
    },
    { scope: 'worker' },
  ],
  visit: async ({ browser, edge }, use) => {
    const visits: Visit[] = [];
    await use(async (place) => {
      // uncompressed, so that the test can find texts in the traffic
      const context = await browser.newContext({ extraHTTPHeaders: { 'accept-encoding': 'identity' } });
      const watched = watchFaults(context);
      const visit = { ...onPage(await context.newPage(), `${edge.url}/?where=${place}`), ...watched };
      visits.push(visit);
      return visit;
    });
    for (const { faults, context } of visits) {
      expect(faults).toEqual([]);
      await context.close();
    }
  },
});

// one worker for the file: its tests share a server
test.describe.configure({ mode: 'default' });

/** A user at the page: the user's actions, and what the page shows. */
type Visit = Omit<App, 'open'> & {
  readonly context: BrowserContext;
  /** Everything that the page has written to its console. */
  readonly said: readonly string[];
  readonly faults: readonly string[];
  open(page: 'chat' | 'tasks' | 'form'): Promise<void>;
  press(name: string | RegExp): Promise<void>;
  /** The text of the conversation, including folded parts. */
  transcript(): Promise<string>;
  /** The calls in this page: those of the simulated model, and requests of tools such as `guesthouse:sendMail`. */
  marks(): Promise<string[]>;
};

function onPage(page: Page, address: string): Omit<Visit, 'said' | 'faults'> {
  const app = appOnPage(page, address);
  return {
    ...app,
    context: page.context(),
    open: (name) => app.open(`#/${name}`),
    press: (name) => page.getByRole('button', { name }).click(),
    stands: (status, timeout = 15_000) => app.stands(status, timeout),
    transcript: async () => (await page.getByRole('log').textContent()) ?? '',
    marks: async () => Object.keys(await app.calls()).toSorted(),
  };
}

/** The model writes a long title slowly, so that there is time to act meanwhile. */
const longTitle = `Choose rooms ${'for each of the children '.repeat(10).trim()}`;

/** Visits all three pages, and returns their text. */
async function goThrough({ page, open, say, press, stands, transcript, marks }: Visit): Promise<object> {
  await open('chat');
  await say('When does Ada arrive?');
  await expect(page.locator('[data-message=assistant]')).toContainText('Garden room.');
  await stands('done');
  await say('Tell Grace that her room is ready');
  await page.getByTestId('approval').waitFor();
  await press('Edit');
  await page.getByLabel('Subject').fill('Noon it is');
  await press('Send this');
  await stands('done');
  const chat = await transcript();
  const chatMarks = await marks();

  await open('tasks');
  await page.getByLabel('Tasks').fill(`${longTitle}\nWrite a welcome note\nOrder breakfast`);
  await press('Begin with 3 tasks');
  await expect(page.locator('[data-task=task-1]')).toHaveAttribute('data-status', 'in_progress');
  await press('Skip: Order breakfast');
  await stands('done', 45_000);
  const tasks = await page.locator('[data-task]').allTextContents();
  // at its next step, which differs from run to run
  const heard = /I see: The user skipped task-3 “Order breakfast”\. ?/g;
  const words = await transcript();
  expect(words.match(heard)).toHaveLength(1);

  await open('form');
  await press('Too many people');
  await press('Read the booking');
  await expect(page.getByText('Not saved yet.')).toBeVisible();
  await stands('done');
  const booking = page.getByRole('region', { name: 'The booking' });
  const fields = await booking
    .locator('input, select, textarea')
    .evaluateAll((controls) => controls.map((control) => (control as HTMLInputElement).value));
  const faults = await page.getByRole('region', { name: 'asked to answer again' }).textContent();
  return {
    place: { marks: chatMarks },
    seen: { chat, tasks, words: words.replaceAll(heard, ''), fields, faults },
  };
}

test(
  'the three pages show the same for every place where runs happen',
  { tag: '@long' },
  async ({ visit }) => {
    test.slow();
    const visits = await Promise.all(places.map(visit));
    const [page, proxied, route] = await Promise.all(visits.map(goThrough));
    const tools = ['guesthouse:findBooking', 'guesthouse:sendMail'];
    expect(page).toMatchObject({
      place: { marks: [...tools, 'model'] },
      seen: {
        chat: expect.stringMatching(
          /Ada arrives on 2026-12-12.*Sent to grace@example\.com, under “Noon it is”/s,
        ),
        tasks: [
          expect.stringContaining('Done: Garden room'),
          expect.stringContaining('Done: Welcome'),
          expect.stringContaining('Skipped'),
        ],
        words: expect.stringContaining('Everything is prepared.'),
        fields: [
          'Tom Lindqvist',
          'tom@example.com',
          '2026-11-03',
          '2026-11-09',
          '6',
          'garden',
          expect.any(String),
        ],
        faults: expect.stringContaining('The house takes six at most.'),
      },
    });
    expect(proxied).toEqual({ ...page, place: { marks: tools } });
    expect(route).toEqual({ ...page, place: { marks: [] } });
  },
);

test('the key stays on the server', async ({ visit, edge }) => {
  const answers = await Promise.all(
    ['Bearer nobody', `Bearer ${edge.key}`].map((authorization) =>
      fetch(`${edge.providerUrl}/responses`, { method: 'POST', headers: { authorization } }),
    ),
  );
  // 400: with this key, it would accept a call
  expect(answers.map(({ status }) => status)).toEqual([401, 400]);

  const kept = await Promise.all(
    places.map(async (place) => {
      const { page, context, say, press, open, stands, said } = await visit(place);
      await open('chat');
      await page.evaluate(() => {
        console.log('canary of the console');
        localStorage.setItem('canary', 'canary of the storage');
      });
      await say(`Tell Grace from ${place}`);
      await page.getByTestId('approval').waitFor();
      await press('Approve');
      await stands('done');
      await say(`Break it for ${place}`);
      await expect(page.getByTestId('status')).toContainText('The simulated line broke');
      await expect.poll(() => storedData(page)).toContain('The simulated line broke');
      const stored = `${await storedData(page)} ${JSON.stringify(await context.storageState())}`;
      return { seen: await page.content(), console: said.join('\n'), stored };
    }),
  );
  const wire = edge.wire();
  const everything = [wire, ...kept.flatMap((one) => Object.values(one))].join('\n');

  // check that the search finds each value where it is expected
  for (const { stored, console } of kept) {
    expect(console).toContain('canary of the console');
    expect(stored).toContain('canary of the storage');
    expect(stored).toContain('grace@example.com');
    const [session = 'none'] = /[\w-]{36}\.[0-9a-f]{64}/.exec(stored) ?? [];
    expect(wire).toContain(`set-cookie: desk=${session}`);
    expect(wire).toContain(`Cookie: desk=${session}`);
  }
  expect(wire).toContain('POST /api/models/openai/responses');
  expect(wire).toContain('Tell Grace from proxied');
  expect(wire).toContain('event: response.completed');
  expect(wire).toContain('Tell Grace from route');
  expect(wire).toContain('"type":"run-end"');
  expect(wire).toContain('The desk of a small guesthouse'); // in a script
  // the key is not there, nor a part of it that a chunk has cut off
  for (const piece of [edge.key, edge.key.slice(3, 16), edge.key.slice(16)]) {
    expect(everything.includes(piece), piece).toBe(false);
  }
});

test('through the route, the browser never receives the text of the prompts', async ({ browser }) => {
  // a separate server, so that its traffic is only that of this test
  const edge = await startEdgeServer();
  const context = await browser.newContext({ extraHTTPHeaders: { 'accept-encoding': 'identity' } });
  const runIn = async (place: Place): Promise<string> => {
    const visit = onPage(await context.newPage(), `${edge.url}/?where=${place}`);
    await visit.open('chat');
    await visit.say('When does Ada arrive?');
    await visit.stands('done');
    await visit.open('form');
    await visit.press('Read the booking');
    await visit.stands('done');
    return edge.wire();
  };
  const secrets = [
    'You work at the desk of a small guesthouse',
    'The booking of a guest, by first name',
    'You prepare a guesthouse for its guests',
    'The Costa family arrives on Saturday',
    'You turn letters into bookings',
  ];
  try {
    const byRoute = await runIn('route');
    expect(byRoute).toContain('"toolName":"findBooking"');
    expect(secrets.filter((secret) => byRoute.includes(secret))).toEqual([]);
    // this is how they get to a browser
    const inPage = await runIn('page');
    expect(secrets.filter((secret) => inPage.includes(secret))).toEqual(secrets);
  } finally {
    await context.close();
    await edge.close();
  }
});

test('a forged session is refused, and a session reads only its own runs', async ({ edge }) => {
  const visit = async (cookie = ''): Promise<string | undefined> =>
    (await fetch(edge.url, { headers: { cookie } })).headers.get('set-cookie')?.split(';')[0];
  const [ada = '', grace = ''] = [await visit(), await visit()];
  expect(ada).not.toBe(grace);
  // a browser with a session keeps it
  expect(await visit(ada)).toBe(undefined);

  const ask = (cookie: string, origin: string, run = ''): Promise<Response> =>
    fetch(`${edge.url}/api/prompts${run}`, {
      method: run === '' ? 'POST' : 'GET',
      headers: { cookie, origin, 'content-type': 'application/json' },
      ...(run === '' ? { body: JSON.stringify({ prompt: 'read-booking', input: { letter: 'Hello' } }) } : {}),
    });
  const started = await ask(ada, edge.url);
  const run = `?run=${started.headers.get('x-cueline-run')}`;
  const statuses = await Promise.all(
    [
      started,
      ask(ada, edge.url, run),
      ask(grace, edge.url, run),
      ask('', edge.url, run),
      ask(`${ada.split('.')[0]}.${grace.split('.')[1]}`, edge.url, run),
      ask(ada, 'https://elsewhere.example', run),
    ].map(async (response) => (await response).status),
  );
  expect(statuses).toEqual([200, 200, 404, 401, 401, 403]);
});

test('on the server, a run continues while its page is reloaded', async ({ visit, edge }) => {
  const { page, open, say, press, stands, marks } = await visit('route');
  await open('chat');
  const before = edge.events.filter(({ type }) => type === 'run-start').length;
  await say('Tell Grace that her room is ready');
  await expect(page.locator('[data-tool=findBooking]')).toHaveAttribute('data-state', 'running');
  await expect.poll(() => storedData(page)).toContain('findBooking');
  await page.reload();
  // without a request by the user
  await page.getByTestId('approval').waitFor();
  await stands('waiting');
  await page.reload();
  await press('Approve');
  await stands('done');
  await expect(page.getByRole('log')).toContainText('Sent to grace@example.com');
  await expect(page.locator('[data-tool]')).toHaveCount(2);
  expect(await marks()).toEqual([]);
  expect(edge.events.filter(({ type }) => type === 'run-start')).toHaveLength(before + 1);
});

for (const place of ['proxied', 'route'] as const) {
  test(`stopping a run stops its model call at the provider: ${place}`, async ({ visit, edge }) => {
    const { page, open, press, stands } = await visit(place);
    const stopped = (): number => edge.events.filter(({ type }) => type === 'provider-stopped').length;
    await open('tasks');
    await page.getByLabel('Tasks').fill(longTitle);
    await press('Begin with 1 task');
    await expect(page.getByRole('log')).toContainText('Choose rooms for each');
    const before = stopped();
    await press('Stop');
    await stands('stopped');
    await expect.poll(stopped).toBe(before + 1);
  });
}

test(
  'with the keyboard, a user chooses where runs happen, and the address keeps the choice',
  { tag: '@long' },
  async ({ visit }) => {
    const { page, open, say, stands, transcript } = await visit('page');
    await open('chat');
    await say('When does Ada arrive?');
    await expect(page.getByRole('log')).toContainText('Ada arrives');
    const choice = page.getByLabel('Runs');
    await choice.focus();
    await page.keyboard.press('End');
    await expect(choice).toBeFocused();
    await expect(choice).toHaveValue('route');
    await expect(page).toHaveURL(/\?where=route#\/chat$/);
    // each place has its own runs
    await expect(page.getByRole('heading', { name: 'The desk of a small guesthouse' })).toBeVisible();
    await say('When does Alan arrive?');
    await stands('done');
    await page.goBack();
    await expect(page.getByRole('log')).toContainText('Ada arrives');
    await page.goForward();
    await page.reload();
    await expect(page.getByRole('log')).toContainText('Alan arrives');
    expect(await transcript()).not.toContain('Ada');
  },
);
