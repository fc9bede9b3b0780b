import { craftLink } from './craft-link.ts';
import { expect, onPage, test } from './playground-page.ts';

test(
  'the timeline is a tree that the keyboard controls, with one selection for the whole page',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    await playground.open();
    await playground.pick('Researchers and a writer');
    await playground.run();
    const tree = page.getByRole('treegrid', { name: 'Steps in time' });
    const row = (name: string) => tree.getByRole('row', { name });
    // it grows while the run continues
    await expect(row('researcher').first()).toBeVisible();
    expect(await playground.ended()).toBe('done');
    // then its beginning is shown
    await expect(row('Step 1').first()).toBeInViewport();
    const researcher = playground.agent('researcher').first();
    await expect(researcher).toHaveAttribute('data-state', 'done');
    await expect(researcher).toContainText('2 steps');

    const active = async (): Promise<string> => {
      const id = await tree.getAttribute('aria-activedescendant');
      return page.locator(`[id="${id}"]`).getByRole('rowheader').innerText();
    };
    await tree.focus();
    await page.keyboard.press('Home');
    expect(await active()).toBe('Step 1');
    await page.keyboard.press('ArrowRight');
    await page.keyboard.press('ArrowDown');
    expect(await active()).toBe('researcher');
    // folding hides the agent's own steps
    const rows = Number(await tree.getAttribute('aria-rowcount'));
    await page.keyboard.press('ArrowLeft');
    expect(Number(await tree.getAttribute('aria-rowcount'))).toBeLessThan(rows);
    // both researchers ran at the same time: their bars overlap
    const bars = await tree
      .locator('[data-kind=agent] [role=gridcell]:has(span)')
      .evaluateAll((cells) =>
        cells.map((cell) => cell.querySelector('span:last-child')!.getBoundingClientRect().toJSON()),
      );
    expect(bars[1].left).toBeLessThan(bars[0].right);
    expect(bars[1].right).toBeGreaterThan(bars[0].left);
    // a system with colors of its own leaves the bars their colors
    const bar = tree.locator('[data-kind=agent] [role=gridcell] span').first();
    const colorOf = (): Promise<string> => bar.evaluate((span) => getComputedStyle(span).backgroundColor);
    const color = await colorOf();
    await page.emulateMedia({ forcedColors: 'active' });
    expect(await colorOf()).toBe(color);
    // and draws the lines between the panes
    const line = page.getByRole('separator', { name: 'Width of the inspector' });
    await expect(line).toHaveCSS('background-color', 'rgb(0, 0, 0)');
    // and marks the focus on a button that is pressed
    const pressed = page.getByRole('button', { name: 'Timeline', exact: true });
    await expect(pressed).toHaveCSS('outline-width', '2px');
    await pressed.focus();
    await expect(pressed).toHaveCSS('outline-width', '4px');
    await tree.focus();
    await page.emulateMedia({ forcedColors: null });

    await page.keyboard.press('ArrowRight');
    await expect(tree).toHaveAttribute('aria-rowcount', String(rows));
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('ArrowLeft');
    expect(await active()).toBe('Step 1');

    // Enter selects here and in the transcript
    await page.keyboard.press('Enter');
    const transcript = page.getByLabel('Run', { exact: true });
    await expect(transcript.getByRole('button', { name: 'Step 1', exact: true })).toHaveAttribute(
      'aria-pressed',
      'true',
    );
    // the timeline unfolds the selection of the transcript, and scrolls to it
    await transcript.getByRole('button', { name: 'Step 2', exact: true }).click();
    await expect(tree.locator('[aria-selected=true]')).toContainText('Step 2');
    await expect(tree.locator('[aria-selected=true]')).toBeInViewport();
    await page.keyboard.press('k');
    await expect(tree.locator('[aria-selected=true][aria-level="3"]')).toContainText('Step 2');

    // a smaller window has room for the controls of the run, and for the name of the model
    await page.setViewportSize({ width: 1024, height: 768 });
    for (const name of ['Preview', 'Inspector', 'Timeline'])
      await expect(transcript.getByRole('button', { name, exact: true })).toBeInViewport({ ratio: 1 });
    const model = page.getByTestId('model').locator('.truncate');
    expect(
      await model.evaluateAll((parts) => parts.filter((one) => one.scrollWidth > one.clientWidth)),
    ).toEqual([]);
  },
);

test(
  'while the scrubber is dragged the transcript follows, and does not change when the scrubber is released',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    await playground.open();
    await playground.pick('Researchers and a writer');
    await playground.run();
    expect(await playground.ended()).toBe('done');
    /** The rows in view: number, place and text. */
    const rows = (): Promise<string[]> =>
      page
        .getByRole('list', { name: 'Transcript' })
        .getByRole('listitem')
        .evaluateAll((all) =>
          all.flatMap((row) => {
            const { top, height } = row.getBoundingClientRect();
            if (height === 0) return [];
            return `${row.ariaPosInSet} at ${Math.round(top)}: ${(row as HTMLElement).innerText}`;
          }),
        );
    const track = (await page.getByTestId('scrubber').boundingBox())!;
    const to = (part: number): [x: number, y: number] => [
      track.x + part * track.width,
      track.y + track.height / 2,
    ];
    await page.mouse.move(...to(0.9));
    await page.mouse.down();
    await page.mouse.move(...to(0.6), { steps: 10 });
    await page.waitForTimeout(300);
    const dragged = await rows();
    expect(dragged.join()).toContain('Step 1');
    expect(dragged.join()).not.toContain('Done in');
    await page.mouse.up();
    await expect(async () => expect(await rows()).toEqual(dragged)).toPass({ timeout: 5_000 });

    // a row that the user has unfolded stays unfolded
    const card = page.getByRole('group', { name: /^Agent / }).first();
    await card.locator('[aria-expanded]').first().click();
    const unfolded = await card.locator('[aria-expanded]').first().getAttribute('aria-expanded');
    await page.mouse.move(...to(0.6));
    await page.mouse.down();
    await page.mouse.move(...to(0.65), { steps: 10 });
    await expect(card.locator('[aria-expanded]').first()).toHaveAttribute('aria-expanded', unfolded!);
    await page.mouse.up();
  },
);

test('a run is scrubbed and played again, and a link opens one of its steps', async ({
  playground,
  browser,
}) => {
  const { page } = playground;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await playground.open();
  await playground.run();
  expect(await playground.ended()).toBe('done');
  const dock = page.getByRole('region', { name: 'Timeline' });
  const slider = dock.getByRole('slider', { name: 'Moment' });
  const answer = page.getByRole('list', { name: 'Transcript' }).getByText('T-shirt');
  await expect(answer).toBeVisible();

  // the start of the run has neither answer nor step; the end is now
  await slider.focus();
  await page.keyboard.press('Home');
  await expect(page.getByTestId('past')).toBeVisible();
  await expect(answer).toHaveCount(0);
  await expect(dock.getByTestId('timeline-cursor')).toBeVisible();
  const thumbAt = async (): Promise<number> => {
    const track = (await dock.getByTestId('scrubber').boundingBox())!;
    return ((await dock.getByTestId('scrubber-dot').boundingBox())!.x - track.x) / track.width;
  };
  await expect.poll(thumbAt).toBeLessThan(0.05);
  await page.keyboard.press('End');
  await expect(page.getByTestId('past')).toHaveCount(0);
  await expect.poll(thumbAt).toBeGreaterThan(0.95);

  // one visible event back, and forward again
  await page.keyboard.press('[');
  await expect(page.getByTestId('past')).toBeVisible();
  await page.keyboard.press(']');
  await expect(page.getByTestId('past')).toHaveCount(0);

  // a press on the track moves the dot there; a press on the dot leaves it where it is, and it follows the pointer
  const track = (await dock.getByTestId('scrubber').boundingBox())!;
  const [middle, height] = [track.x + track.width / 2, track.y + track.height / 2];
  await page.mouse.click(middle, height);
  await expect.poll(thumbAt).toBeCloseTo(0.5, 2);
  await page.mouse.move(middle + 6, height);
  await page.mouse.down();
  await page.mouse.move(middle + 6 + track.width / 4, height, { steps: 5 });
  await expect.poll(thumbAt).toBeCloseTo(0.75, 2);
  // a screen reader says the time that is shown, also during the drag
  await expect(async () => {
    const shown = await page.getByTestId('scrubber-time').innerText();
    expect(await slider.getAttribute('aria-valuetext')).toBe(shown.replace('/', 'of'));
  }).toPass({ timeout: 5_000 });
  await page.mouse.up();
  // the arrow keys go on from there
  await expect(slider).toBeFocused();
  await page.keyboard.press('ArrowLeft');
  await expect.poll(thumbAt).toBeCloseTo(0.74, 2);
  await page.keyboard.press('End');
  await expect(page.getByTestId('past')).toHaveCount(0);

  // Space plays from the start, and after the end the page shows the present
  await dock.getByRole('button', { name: 'Speed' }).click();
  await expect(dock.getByRole('button', { name: 'Speed: ×2' })).toBeVisible();
  await slider.focus();
  await page.keyboard.press(' ');
  await expect(dock.getByRole('button', { name: 'Pause' })).toBeVisible();
  await expect(answer).toHaveCount(0);
  await expect(page.getByTestId('past')).toHaveCount(0);
  await expect(answer).toBeVisible();
  await expect(dock.getByRole('button', { name: 'Play' })).toBeVisible();

  // a press on the axis goes to that time
  const cell = dock.getByRole('row', { name: 'getWeather' }).getByRole('gridcell').first();
  await cell.click({ position: { x: 12, y: 10 } });
  await expect(page.getByTestId('past')).toBeVisible();
  await expect(answer).toHaveCount(0);

  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await dock.getByRole('button', { name: 'Copy link to step 2' }).click();
  const url = new URL(await page.evaluate(() => navigator.clipboard.readText()));
  expect(url.search).toBe('?step=2');
  const context = await browser.newContext();
  try {
    const other = onPage(await context.newPage());
    await other.open(url.search + url.hash);
    const step = other.page
      .getByLabel('Run', { exact: true })
      .getByRole('button', { name: 'Step 2', exact: true });
    await expect(step).toHaveAttribute('aria-pressed', 'true');
    await expect(step).toBeInViewport();
    await expect(other.page.getByRole('treegrid').locator('[aria-selected=true]')).toContainText('Step 2');
  } finally {
    await context.close();
  }
});

test(
  'a long name of a tool is cut in its column, and whole in the hint',
  { tag: '@long' },
  async ({ playground }) => {
    const { page } = playground;
    const name = 'lookUpTheWeather'.repeat(8);
    const bodies = [
      { type: 'run-start', v: 2, runId: 'r', model: 'demo:m', messages: [], messageId: 'a' },
      { type: 'step-start', step: 0, request: { keep: 0, messages: [] } },
      { type: 'tool-input-start', step: 0, toolCallId: 'c', toolName: name },
      { type: 'tool-input-end', toolCallId: 'c', toolName: name, input: {} },
      { type: 'tool-start', toolCallId: 'c', toolName: name },
      { type: 'tool-error', toolCallId: 'c', error: 'No weather today' },
      { type: 'run-end', outcome: 'stopped' },
    ];
    const log = bodies.map((body, seq) => ({ seq, t: seq * 100, ...body }));
    await playground.open(craftLink({ script: '// theirs', log }));
    const row = page.getByRole('treegrid').getByRole('row', { name });
    await expect(row.getByRole('rowheader')).toHaveAttribute('title', `${name}: No weather today`);
    const [label, failed, chart] = await Promise.all(
      [row.getByText(name), row.getByLabel('Failed', { exact: true }), row.getByRole('gridcell').first()].map(
        (part) => part.boundingBox(),
      ),
    );
    expect(label!.x + label!.width).toBeLessThanOrEqual(failed!.x);
    expect(failed!.x + failed!.width).toBeLessThan(chart!.x);
    await expect(row.getByText(name)).toHaveCSS('text-overflow', 'ellipsis');
  },
);
