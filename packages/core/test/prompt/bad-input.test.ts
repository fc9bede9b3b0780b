// What a script gets wrong is said where it stands, with what to write instead.
import { CuelineError, tool } from '@cueline/core';
import { Prompt } from '@cueline/core/testing';
import { describe, expect, test } from 'vitest';
import * as z from 'zod';

const none = z.object({});
const part = tool('read', 'Reads', none, () => 'text');

/** What is said of a mistake. */
function said(act: (prompt: Prompt) => unknown): string {
  try {
    act(new Prompt());
  } catch (error) {
    if (CuelineError.isInstance(error)) return `${error.code}: ${error.message}`;
    throw error;
  }
  throw new Error('did not throw');
}

describe('a composite tool’s own options', () => {
  test.each([
    'needsApproval',
    'effect',
    'beforeCall',
    'onSuccess',
    'onError',
    'providerOptions',
    'timeoutMS',
  ])('%s is one of its parts’', (name) => {
    expect(said((p) => p.defTool('file', 'Files', [part], { [name]: undefined } as never))).toBe(
      `invalid_definition: Tool file is made of tools, so it cannot have ${name}, only repeatable and timeoutMs. Give ${name} to its parts: tool('read', '…', z.object({ … }), async (args) => …, { ${name}: … }).`,
    );
  });

  test.each<[string, unknown]>([
    ['a function', () => 1],
    ['null', null],
  ])('%s is none', (_what, options) => {
    expect(said((p) => p.defTool('file', 'Files', [part], options as never))).toBe(
      'invalid_definition: Tool file is made of tools, so after them it takes only options, such as { timeoutMs: 5000 }.',
    );
  });

  test('repeatable and timeoutMs hold', () => {
    const prompt = new Prompt();
    prompt.defTool('file', 'Files', [part], { repeatable: true, timeoutMs: 5 });
    expect(prompt.definitions.tools.get('file')).toMatchObject({ rules: { repeatable: true, timeoutMs: 5 } });
  });
});
