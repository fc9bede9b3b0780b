import type { Instructions, SystemModelMessage } from 'ai';
import type { SystemFormat } from '../prompt/call-settings.ts';
import type { Definitions, SystemPart, Variable } from '../prompt/definitions.ts';

/** Sent once, before the first variable. */
const ABOUT_VARIABLES =
  'Variables are given as <NAME>value</NAME>. Where a message says <NAME>, it means that value.';

/**
 * Returns the system prompt of a step: variables, named parts, then the caller's own instructions, with a blank line
 * between these blocks. Undefined if there are none; a list of messages if a part has provider options.
 */
export function compileInstructions(
  definitions: Pick<Definitions, 'variables' | 'system'>,
  callerInstructions: Instructions | undefined,
  format: SystemFormat = 'labels',
): string | SystemModelMessage[] | undefined {
  const messages: SystemModelMessage[] = [];
  let blocks: string[] = [];
  let parts: string[] = [];

  function endParts(): void {
    if (parts.length > 0) blocks.push(parts.join('\n'));
    parts = [];
  }
  function endMessage(): void {
    endParts();
    if (blocks.length > 0) messages.push({ role: 'system', content: blocks.join('\n\n') });
    blocks = [];
  }

  if (definitions.variables.size > 0) {
    blocks.push(
      ABOUT_VARIABLES,
      [...definitions.variables].map(([name, variable]) => tag(name, variable)).join('\n'),
    );
  }
  for (const [name, part] of definitions.system) {
    if (name === '') {
      endParts();
      blocks.push(part.value);
      continue;
    }
    if (part.providerOptions === undefined) {
      parts.push(systemPart(name, part, format));
      continue;
    }
    endMessage();
    messages.push({
      role: 'system',
      content: systemPart(name, part, format),
      providerOptions: part.providerOptions,
    });
  }
  endParts();
  for (const message of systemMessages(callerInstructions)) {
    if (message.providerOptions === undefined) {
      blocks.push(message.content);
      continue;
    }
    endMessage();
    messages.push(message);
  }
  endMessage();

  if (messages.some((message) => message.providerOptions !== undefined)) return messages;
  return messages[0]?.content;
}

/** Returns a variable's part of the system prompt. */
export function tag(name: string, { kind, value }: Variable): string {
  // a value that closes its own tag could be taken for instructions
  const closing = (): RegExp => new RegExp(`</(?=${name.replaceAll('.', '\\.')}\\s*>)`, 'gi');
  const safe = value.includes('</') ? value.replaceAll(closing(), '&lt;/') : value;
  const lines = kind === 'data' || safe.includes('\n');
  return lines ? `<${name}>\n${safe}\n</${name}>` : `<${name}>${safe}</${name}>`;
}

/** Returns a part of the system prompt; one without a name is its text. */
export function systemPart(name: string, part: SystemPart, format: SystemFormat): string {
  if (name === '') return part.value;
  return format === 'xml' ? `<${name}>${part.value}</${name}>` : `${name}:\n${part.value}`;
}

function systemMessages(instructions: Instructions | undefined): SystemModelMessage[] {
  if (instructions === undefined || instructions === '') return [];
  if (typeof instructions === 'string') return [{ role: 'system', content: instructions }];
  return Array.isArray(instructions) ? instructions : [instructions];
}
