import type { CompiledRequest, InstructionPart } from '@cueline/core';

/** A piece of the system prompt; `part` is the definition that made it, if there is one. */
export type InstructionSegment = { text: string; part: InstructionPart | undefined };

/**
 * The parts of a system prompt, in order and without overlaps. Their positions may come from a foreign log, so those
 * outside the text are moved into it, and empty ones are left out.
 */
export function instructionPartsOf({
  instructions,
  instructionParts = [],
}: Pick<CompiledRequest, 'instructions' | 'instructionParts'>): InstructionPart[] {
  const parts: InstructionPart[] = [];
  let from = 0;
  for (const part of instructionParts.toSorted((one, other) => one.start - other.start)) {
    const start = Math.max(from, part.start);
    const end = Math.min(instructions.length, part.end);
    if (!(start < end)) continue;
    parts.push({ ...part, start, end });
    from = end;
  }
  return parts;
}

/**
 * A system prompt, split into the parts of its definitions and the text between them. A line break beside a part is
 * left out, because every part is shown on separate lines.
 */
export function instructionSegments(
  request: Pick<CompiledRequest, 'instructions' | 'instructionParts'>,
): InstructionSegment[] {
  const { instructions } = request;
  const segments: InstructionSegment[] = [];
  let from = 0;
  const addText = (end: number, beforePart: boolean): void => {
    let text = instructions.slice(from, end);
    if (from > 0) text = text.replace(/^\n/, '');
    if (beforePart) text = text.replace(/\n$/, '');
    if (text !== '') segments.push({ text, part: undefined });
  };
  for (const part of instructionPartsOf(request)) {
    if (part.start > from) addText(part.start, true);
    segments.push({ text: instructions.slice(part.start, part.end), part });
    from = part.end;
  }
  if (from < instructions.length) addText(instructions.length, false);
  return segments;
}
