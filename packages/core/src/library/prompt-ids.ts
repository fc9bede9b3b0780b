/**
 * Returns an id for a new prompt, readable and unlike the existing ones: `Greet the guest` is `greet-the-guest`, and
 * `greet-the-guest-2` if that exists.
 */
export function newPromptId(name: string, existing: Iterable<string> = []): string {
  return unique(words(name).join('-').toLowerCase() || 'prompt', new Set(existing), '-');
}

/**
 * Returns the ids of prompts by constant names made of the prompts' names, for a module of constants: a prompt named
 * `Hello World` is `helloWorldPromptId`. Versions of one prompt have one constant.
 *
 * @example promptIds(library.list()); // { helloWorldPromptId: '123' }
 */
export function promptIds(
  prompts: Iterable<{ readonly id: string; readonly name: string }>,
): Record<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const { id, name } of prompts) {
    if (names.has(id)) continue;
    const [first = '', ...rest] = words(name);
    const constant = unique(first.toLowerCase() + rest.map(capitalized).join('') + 'PromptId', taken, '');
    taken.add(constant);
    names.set(id, constant);
  }
  return Object.fromEntries(Array.from(names, ([id, constant]) => [constant, id]));
}

function words(name: string): string[] {
  // accents are dropped, so that café is cafe
  return name
    .normalize('NFD')
    .replaceAll(/\p{M}/gu, '')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

function capitalized(word: string): string {
  const [first = '', ...rest] = word;
  return first.toUpperCase() + rest.join('').toLowerCase();
}

function unique(name: string, taken: ReadonlySet<string>, separator: string): string {
  if (!taken.has(name)) return name;
  let count = 2;
  while (taken.has(`${name}${separator}${count}`)) count += 1;
  return `${name}${separator}${count}`;
}
