import { expect, test } from './playground-page.ts';
import { script } from './weather-script.ts';

test.describe('the inspector', () => {
  test('shows what was sent by definition, what changed from step to step, and a mail as a mail', async ({
    playground,
  }) => {
    const { page } = playground;
    const inspector = page.getByRole('region', { name: 'Inspector' });
    await playground.open();
    await playground.pick('Ask before sending');
    await playground.run();
    await playground.approval.getByRole('button', { name: 'Approve' }).click();
    expect(await playground.ended()).toBe('done');

    // without a selection, it shows the latest step
    await expect(inspector.getByTestId('inspected')).toHaveText('Step 3 · ask first');
    await expect(inspector.getByText('Simulated, free')).toBeVisible();
    await expect(inspector.locator('[data-definition=GUEST]')).toContainText('<GUEST>Ada</GUEST>');

    // a definition is marked where it is sent, and lists its values and its tokens in each step
    await inspector
      .locator('[data-definition=GUEST]')
      .getByRole('button', { name: 'variable GUEST' })
      .click();
    const definition = inspector.getByRole('region', { name: 'Definition GUEST' });
    await expect(inspector.locator('[data-definition=GUEST][data-selected]')).toBeVisible();
    await expect(definition.getByRole('region', { name: 'Values' })).toContainText('Ada');
    await expect(definition.getByRole('region', { name: 'Sent in' }).getByRole('listitem')).toHaveCount(3);
    await definition.getByRole('button', { name: 'Step 2' }).last().click();
    await expect(inspector.getByTestId('inspected')).toHaveText('Step 2 · ask first');
    await expect(definition).toHaveCount(0);

    // the changes in this step
    await inspector.getByRole('tab', { name: 'Changes' }).click();
    const messages = inspector.getByRole('region', { name: 'Messages' });
    await expect(messages.getByText('Added')).toHaveCount(2);
    await expect(messages.getByRole('group', { name: 'Result of findBooking' })).toContainText('room7');

    // a call that is selected in the transcript is open in the inspector
    await playground.tool('sendMail').getByRole('button').first().click();
    await expect(inspector.getByTestId('inspected')).toHaveText('Step 2 · sendMail');
    const input = inspector.getByRole('group', { name: 'Input' });
    await expect(input.getByText('Dear Ada,')).toHaveText(/Dear Ada,\n\nyour room/);
    await expect(inspector.getByRole('region', { name: 'About this call' })).toContainText(
      'Approved, asked at',
    );
    await input.getByRole('button', { name: 'Raw JSON of Input' }).click();
    await expect(input).toContainText(String.raw`"Dear Ada,\n\nyour room`);
  });

  test(
    'has its controls inside, however long the name of a call is',
    { tag: '@long' },
    async ({ playground }) => {
      const { page } = playground;
      const inspector = page.getByRole('region', { name: 'Inspector' });
      const name = 'look_up_the_weather_of_every_city_of_the_whole_country';
      await playground.open();
      await playground.write(script('Oslo').replace("'getWeather'", `'${name}'`));
      await playground.run();
      expect(await playground.ended()).toBe('done');
      await playground.tool(name).getByRole('button').first().click();
      await expect(inspector.getByTestId('inspected')).toHaveText(`Step 1 · ${name}`);
      for (const control of ['Back to the step', 'Previous step', 'Next step'])
        await expect(inspector.getByRole('button', { name: control })).toBeInViewport({ ratio: 1 });
    },
  );

  test(
    'works with the keyboard alone, and is in the Trace tab on a phone',
    { tag: '@long' },
    async ({ playground }) => {
      const { page } = playground;
      const inspector = page.getByRole('region', { name: 'Inspector' });
      await playground.open();
      await playground.run();
      expect(await playground.ended()).toBe('done');
      await page.setViewportSize({ width: 390, height: 844 });
      await page.getByRole('tab', { name: 'Trace' }).click();
      await inspector.getByRole('button', { name: 'Previous step' }).focus();
      await page.keyboard.press('Enter');
      await expect(inspector.getByTestId('inspected')).toHaveText('Step 1 · weather');
      // past the next step and the way back to the latest, into the tabs
      const request = inspector.getByRole('tab', { name: 'Request' });
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await expect(request).toBeFocused();
      await page.keyboard.press('ArrowRight');
      await expect(inspector.getByRole('tab', { name: 'Response' })).toHaveAttribute('aria-selected', 'true');
      await expect(inspector.getByRole('region', { name: 'Answer' })).toContainText(/Tool callafter \d/);
      await inspector.getByRole('button', { name: /^getWeather/ }).focus();
      await page.keyboard.press('Enter');
      await expect(inspector.getByRole('group', { name: 'Output' })).toContainText('light sea breeze');
      await inspector.getByRole('button', { name: 'Back to the step' }).focus();
      await page.keyboard.press('Enter');
      await expect(inspector.getByRole('tab', { name: 'Response' })).toBeVisible();
      await expect(page.locator('html')).toHaveJSProperty('scrollWidth', 390);
    },
  );
});
