import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { mostRead } from './hints.ts';

/** The format that an answer must have: texts in tags, or one of several words. */
export type AnswerForm = { tags: readonly string[] } | { words: readonly string[] };

const inTags = /Write your answer in these tags: ((?:<[A-Za-z_][\w.-]*>…<\/[\w.-]+>(?:, )?)+)/g;
const oneWord = /Answer with one of these words and nothing else: ([^\n]+)/g;

/** The format that the system prompt asks for; the last one if there are several. */
export function readAnswerForm(prompt: LanguageModelV4Prompt): AnswerForm | undefined {
  const system = prompt
    .flatMap((message) => (message.role === 'system' ? [message.content] : []))
    .join('\n\n');
  const tags = [...system.matchAll(inTags)].at(-1)?.[1];
  if (tags !== undefined) return { tags: [...tags.matchAll(/<([^/>]+)>/g)].map(([, name = '']) => name) };
  const words = [...system.matchAll(oneWord)].at(-1)?.[1];
  return words === undefined ? undefined : { words: words.split(', ').map((word) => word.trim()) };
}

/** A word that the request itself contains; otherwise always the same one for the same request. */
export function chooseWord(words: readonly string[], request: string): string {
  const said = request.slice(0, mostRead).toLowerCase();
  const named = words.find((word) => said.includes(word.toLowerCase()));
  return named ?? words[[...request].length % words.length] ?? '';
}
