import { instructionsName, messageName, type DefinitionKind, type DefinitionLine } from './definition.ts';
import { readTokens, type Token } from './tokens.ts';

/** A definition with its lines: those of its text or, for a definition with a function, those up to its name. */
export type FoundDefinition = DefinitionLine & {
  lastLine: number;
  /** True for a setting of a session or an agent call, which the script does not call a method for. */
  isSetting?: true;
};

/** The definitions that a script's text shows, in order. */
export type FoundDefinitions = {
  definitions: readonly FoundDefinition[];
  /** The line of the default export, which is the prompt itself. */
  promptLine?: number;
};

/** The settings that are sent, by the function that takes them. */
const settings: Readonly<Record<string, Readonly<Record<string, DefinitionKind>>>> = {
  defineSession: { systemPrompt: 'system', initialMessage: 'message' },
  defineAgent: { instructions: 'system' },
};

/** A longer script would block the page, which finds its definitions while it shows it. */
const MAX_SCRIPT_LENGTH = 200_000;

/**
 * Finds the calls that define something under a literal name, without running the script. Returns nothing for a script
 * that cannot be parsed, or that is longer than 200,000 characters.
 */
export function findDefinitions(source: string): FoundDefinitions {
  if (source.length > MAX_SCRIPT_LENGTH) return { definitions: [] };
  let tokens: readonly Token[];
  try {
    tokens = readTokens(source);
  } catch {
    return { definitions: [] };
  }
  return new Finder(tokens).find();
}

/** The part of the script up to the token `end` is inside an agent, a composite tool, or both. */
type Scope = { end: number; agent?: string; whole?: string };

class Finder {
  readonly #tokens: readonly Token[];
  /** The index of the closing token, by that of the opening one. */
  readonly #closing: ReadonlyMap<number, number>;
  readonly #found: FoundDefinition[] = [];
  readonly #messages = new Map<string | undefined, number>();
  readonly #callsAgents: boolean;
  /** The scopes around a token, from the outermost. */
  readonly #scopes: Scope[] = [];

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
    this.#closing = pairsOf(tokens);
    this.#callsAgents = tokens.some(({ text }) => text === 'defineAgent');
  }

  find(): FoundDefinitions {
    let promptLine: number | undefined;
    for (const [index, token] of this.#tokens.entries()) {
      while ((this.#scopes.at(-1)?.end ?? Infinity) <= index) this.#scopes.pop();
      if (token.label === 'export' && this.#tokens[index + 1]?.label === 'default') promptLine = token.line;
      if (token.label === 'name') this.#visit(token, index);
    }
    return { definitions: this.#found, ...(promptLine === undefined ? {} : { promptLine }) };
  }

  get #agent(): string | undefined {
    return this.#scopes.findLast(({ agent }) => agent !== undefined)?.agent;
  }

  #visit({ text }: Token, index: number): void {
    const opening = this.#tokens[index + 1]?.label;
    if (text === '$' && opening === '`') return this.#addMessage(index);
    if (opening !== '(' || this.#tokens[index - 1]?.label === 'function') return;
    const name = this.#literal(index + 2);
    const end = this.#closing.get(index + 1) ?? index;
    switch (text) {
      case 'def':
      case 'defData':
        return this.#add('variable', name, index, end);
      case 'defSystem':
        return this.#add('system', this.#hasOneArgument(index + 1) ? '' : name, index, end);
      case 'defMessage':
        return this.#addMessage(index);
      case 'defTool':
        this.#add('tool', name, index, index + 2);
        if (name !== undefined) this.#scopes.push({ end, whole: name });
        return;
      case 'tool': {
        const whole = this.#scopes.findLast((scope) => scope.whole !== undefined)?.whole;
        const part = whole === undefined || name === undefined ? name : `${whole}.${name}`;
        return this.#add('tool', part, index, index + 2);
      }
      case 'defAgent': {
        this.#add('agent', name, index, index + 2);
        const outer = this.#agent;
        if (name !== undefined)
          this.#scopes.push({ end, agent: outer === undefined ? name : `${outer}/${name}` });
        return;
      }
      case 'defTaskList':
      case 'defDynamicTaskList':
        return this.#add('tasks', 'tasks', index, index);
      case 'defHook': {
        const count = this.#found.filter(({ of, agent }) => of === 'hook' && agent === this.#agent).length;
        return this.#add('hook', `hooks[${count}]`, index, index);
      }
      case 'classify':
      case 'classifyBinary':
        return this.#add('agent', 'classify', index, index);
      case 'defineSession':
      case 'defineAgent':
        return this.#addSettings(text, index, end);
      case 'prompt':
        if (this.#callsAgents && this.#tokens[index - 1]?.label === '.') this.#addMessage(index);
        return;
      default:
    }
  }

  /** Adds a definition that begins at one token and ends at another. Does nothing without a name. */
  #add(of: DefinitionKind, name: string | undefined, from: number, to: number, isSetting?: true): void {
    const agent = this.#agent;
    const [first, last] = [this.#tokens[from], this.#tokens[to]];
    if (name === undefined || first === undefined) return;
    this.#found.push({
      of,
      name,
      ...(agent === undefined ? {} : { agent }),
      line: first.line,
      lastLine: last?.endLine ?? first.line,
      ...(isSetting === true ? { isSetting } : {}),
    });
  }

  #addMessage(index: number): void {
    const count = this.#messages.get(this.#agent) ?? 0;
    this.#messages.set(this.#agent, count + 1);
    this.#add('message', messageName(count), index, this.#closing.get(index + 1) ?? index);
  }

  /** The settings of a session or an agent: its name, its system prompt, its first message. */
  #addSettings(fn: 'defineSession' | 'defineAgent', index: number, end: number): void {
    const isAgent = fn === 'defineAgent';
    let open = index + 1;
    while (open < end && this.#tokens[open]!.label !== '{') open += 1;
    const close = this.#closing.get(open);
    if (close === undefined) return;
    const keys = this.#keysOf(open, close);
    const nameAt = keys.get('name');
    const name = nameAt === undefined ? undefined : this.#literal(nameAt.from);
    if (isAgent) {
      this.#add('agent', name, index, index);
      if (name !== undefined) this.#scopes.push({ end, agent: name });
    }
    for (const [key, of] of Object.entries(settings[fn]!)) {
      const value = keys.get(key);
      if (value === undefined) continue;
      this.#add(of, of === 'system' ? instructionsName : messageName(0), value.key, value.to, true);
    }
  }

  /** The keys of an object, with the first and the last token of each value. */
  #keysOf(open: number, close: number): Map<string, { key: number; from: number; to: number }> {
    const keys = new Map<string, { key: number; from: number; to: number }>();
    for (let at = open + 1; at < close; at += 1) {
      const key = at;
      const token = this.#tokens[at]!;
      if (this.#tokens[at + 1]?.label === ':') at += 2;
      const from = at;
      while (at < close && this.#tokens[at]!.label !== ',') at = (this.#closing.get(at) ?? at) + 1;
      keys.set(token.text, { key, from, to: at - 1 });
    }
    return keys;
  }

  /** The text of a literal that begins here. */
  #literal(index: number): string | undefined {
    const token = this.#tokens[index];
    if (token?.label === 'string') return token.text.slice(1, -1);
    const text = this.#tokens[index + 1];
    if (token?.label === '`' && text?.label === 'template' && this.#tokens[index + 2]?.label === '`') {
      return text.text;
    }
    return undefined;
  }

  #hasOneArgument(open: number): boolean {
    const close = this.#closing.get(open) ?? open;
    for (let at = open + 1; at < close; at = (this.#closing.get(at) ?? at) + 1) {
      if (this.#tokens[at]!.label === ',') return at + 1 === close;
    }
    return close > open + 1;
  }
}

const closers: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '${': '}' };

/** The closing token of each opening one. */
function pairsOf(tokens: readonly Token[]): Map<number, number> {
  const pairs = new Map<number, number>();
  const open: number[] = [];
  for (const [index, { label }] of tokens.entries()) {
    const last = open.at(-1);
    const before = last === undefined ? undefined : tokens[last]!.label;
    const closes = label === '`' ? before === '`' : before !== undefined && closers[before] === label;
    if (closes) pairs.set(open.pop()!, index);
    else if (label === '`' || label in closers) open.push(index);
  }
  return pairs;
}
