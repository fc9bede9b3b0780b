import type { CompiledRequest } from '@cueline/core';

/** A part of a system prompt. `name` is missing for text that no definition makes. */
export type SystemPromptPart = {
  kind: 'variable' | 'system' | 'instructions';
  name: string | undefined;
  text: string;
  tokens: number;
};

/** The parts of a request's system prompt, in order, without the blank lines between them. */
export function partsOf({ instructions, instructionParts = [] }: CompiledRequest): SystemPromptPart[] {
  const parts: SystemPromptPart[] = [];
  const add = (
    kind: SystemPromptPart['kind'],
    name: string | undefined,
    start: number,
    end: number,
  ): void => {
    const whole = instructions.slice(start, end);
    const text = whole.trim();
    if (text !== '') parts.push({ kind, name, text, tokens: Math.ceil(whole.length / 4) });
  };
  let position = 0;
  for (const { kind, name, start, end } of instructionParts) {
    // a log of elsewhere may have parts that overlap
    if (start < position || end < start || end > instructions.length) continue;
    add('instructions', undefined, position, start);
    add(kind, name, start, end);
    position = end;
  }
  add('instructions', undefined, position, instructions.length);
  return parts;
}
