import type { InstructionPart } from '../log/events.ts';
import type { SystemFormat } from '../prompt/call-settings.ts';
import type { Definitions } from '../prompt/definitions.ts';
import { systemPart, tag } from './instructions.ts';

/** The maximum number of parts that a request names, because each takes space in every log. */
const MAX_PARTS = 1_000;

/**
 * Returns what each definition makes of a system prompt, of at most 1,000 definitions. A hook may have replaced the
 * compiled text, so only the definitions that the text contains are returned.
 */
export function locateParts(
  instructions: string,
  definitions: Pick<Definitions, 'variables' | 'system'>,
  format: SystemFormat = 'labels',
): InstructionPart[] {
  const parts: InstructionPart[] = [];
  let from = 0;

  function add(kind: InstructionPart['kind'], name: string, text: string): void {
    if (text === '' || parts.length === MAX_PARTS) return;
    const start = instructions.indexOf(text, from);
    if (start < 0) return;
    from = start + text.length;
    parts.push({ kind, name, start, end: from });
  }

  for (const [name, variable] of definitions.variables) add('variable', name, tag(name, variable));
  for (const [name, part] of definitions.system) add('system', name, systemPart(name, part, format));
  return parts;
}
