import { scriptedModel } from '@cueline/core/testing';
import { expect, test } from 'vitest';
import { page } from 'vitest/browser';
import { mount } from '../support/mount.tsx';
import { Chat } from './chat.tsx';
import { Greeting } from './run-messages.tsx';

test('the example of a chat sends a mail once it is approved', async () => {
  const mail = { toolCall: { name: 'sendMail', input: { to: 'Ada', text: 'At ten.' } } };
  mount(<Chat model={scriptedModel([[mail], 'Ada knows.'])} />);
  await page.getByLabelText('Message').fill('Tell Ada.');
  await page.getByRole('button', { name: 'Send' }).click();
  await page.getByRole('button', { name: 'Approve' }).click();
  await expect.element(page.getByRole('article', { name: 'user' })).toHaveTextContent('Tell Ada.');
  await expect
    .element(page.getByRole('article', { name: 'assistant' }))
    .toHaveTextContent('sendMail({"to":"Ada","text":"At ten."}) output-availableAda knows.');
  await expect.element(page.getByRole('alert')).not.toBeInTheDocument();
});

test('a run’s messages are drawn by the same component', async () => {
  mount(<Greeting model={scriptedModel(['Hello, Ada.'])} />);
  await page.getByRole('button', { name: 'Greet' }).click();
  await expect.element(page.getByRole('article', { name: 'assistant' })).toHaveTextContent('Hello, Ada.');
});
