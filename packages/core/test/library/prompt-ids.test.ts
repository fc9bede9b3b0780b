import { newPromptId, promptIds } from '@cueline/core/library';
import { describe, expect, test } from 'vitest';

describe('promptIds', () => {
  test.each([
    ['two words', 'Hello World', 'helloWorldPromptId'],
    ['marks between words', 'hello!!!world', 'helloWorldPromptId'],
    ['capitals', 'SUM of ALL', 'sumOfAllPromptId'],
    ['digits first', '123 prompt', '123PromptPromptId'],
    ['accents', 'Café résumé', 'cafeResumePromptId'],
    ['no letters', '???', 'PromptId'],
    ['a name that every object has', '__proto__', 'protoPromptId'],
  ])('%s', (_, name, constant) => {
    expect(promptIds([{ id: '123', name }])).toEqual({ [constant]: '123' });
  });

  test('an empty library has no ids', () => {
    expect(promptIds([])).toEqual({});
  });

  test('equal names have different constants, and versions of a prompt have one', () => {
    const prompts = [
      { id: 'a', name: 'Greet' },
      { id: 'a', name: 'Greet warmly' },
      { id: 'b', name: 'greet' },
      { id: 'c', name: 'Greet!' },
    ];
    expect(promptIds(prompts)).toEqual({ greetPromptId: 'a', greetPromptId2: 'b', greetPromptId3: 'c' });
  });
});

describe('newPromptId', () => {
  test.each([
    ['Greet the guest', [], 'greet-the-guest'],
    ['Greet the guest', ['greet-the-guest'], 'greet-the-guest-2'],
    ['Greet the guest', ['greet-the-guest', 'greet-the-guest-2'], 'greet-the-guest-3'],
    ['  Ça va?  ', [], 'ca-va'],
    ['!', [], 'prompt'],
  ])('%s beside %j', (name, existing, id) => {
    expect(newPromptId(name, existing)).toBe(id);
  });
});
