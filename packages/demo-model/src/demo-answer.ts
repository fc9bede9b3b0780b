import { beginningOf } from './beginning-of.ts';
import { describeOutcome, inline } from './describe-result.ts';
import type { Hints } from './hints.ts';
import type { ParsedPrompt } from './parse-prompt.ts';
import type { TaskWindow } from './task-window.ts';

const about =
  'I am the built-in simulated model: I follow rules, and understand nothing. Pick a model and give its key for real answers.';

/** Tools that manage the task list; their results are not worth quoting at the end. */
const bookkeeping = /^(startTask|finishTask|createTask|updateTask|completeTask|getTaskList|deleteTask)$/;

/** The beginning of an answer: that it is simulated, what was asked, and what happens next. */
export function writeIntroduction(prompt: ParsedPrompt, tools: readonly string[]): string {
  const { task } = prompt;
  const next = task === undefined ? '' : ` The task at hand: “${gist(task)}”.`;
  const call = tools.length === 0 ? '' : ` ${writeNextStep(tools)}`;
  return `${restate(prompt)}${next}${call}`;
}

/** A sentence about the next calls. */
export function writeNextStep(tools: readonly string[]): string {
  return tools.length === 1 ? `I call ${tools[0]}.` : `I call ${list(tools)} together.`;
}

/** How many variables an answer names. */
const MAX_NAMES = 12;

/** The final answer: what was asked, and what every tool returned. */
export function writeAnswer(prompt: ParsedPrompt, hints: Hints): string {
  const { allOutcomes, variables, window } = prompt;
  const described = allOutcomes.filter(({ toolName }) => !bookkeeping.test(toolName));
  const finished = Math.max(
    window?.done.length ?? 0,
    allOutcomes.filter(({ toolName, value }) => isCompletion(toolName, value)).length,
  );
  const paragraphs: string[] = [];
  if (allOutcomes.length === 0) {
    paragraphs.push(restate(prompt));
    const names = [...variables.keys()];
    if (names.length > 0) {
      const more = names.length - MAX_NAMES;
      const named = more > 1 ? [...names.slice(0, MAX_NAMES), `${more.toLocaleString('en')} more`] : names;
      paragraphs.push(`I was given ${list(named)}, which a real model would use.`);
    }
    if (hints.request !== '')
      paragraphs.push('No tool is left to call for this, so that is all that I can say about it.');
  }
  if (finished > 0) paragraphs.push(`${finished} ${finished === 1 ? 'task is' : 'tasks are'} done.`);
  // the calls of earlier tasks are hidden; their results are not
  if (window !== undefined && window.done.length > 0)
    return [...paragraphs, writeResults(window)].join('\n\n');
  if (described.length > 0) paragraphs.push(`On “${gist(prompt.request)}”, this is what I found:`);
  // Tasks may call the same tool with the same result.
  paragraphs.push(...new Set(described.map(describeOutcome)));
  if (paragraphs.length === 0) paragraphs.push(`There is nothing left to do for “${gist(prompt.request)}”.`);
  return paragraphs.join('\n\n');
}

function writeResults({ done }: TaskWindow): string {
  return done
    .map(({ title, result = 'no result' }) => {
      const what = gist(title).replace(/[.!?…]+$/, '');
      return result.startsWith(what) ? `- ${gist(result)}` : `- ${what}: ${gist(result)}`;
    })
    .join('\n');
}

/** The result of a task, in a sentence that quotes the tools. */
export function writeTaskResult({ task, request, outcomes }: ParsedPrompt): string {
  const what = gist(task ?? request).replace(/[.!?…]+$/, '');
  const described = outcomes.filter(({ toolName }) => !bookkeeping.test(toolName));
  if (described.length === 0) return `${what}: done.`;
  return `${what}: ${described
    .map(({ toolName, value }) => `${toolName} gave ${inline(value)}`)
    .join('; ')
    .replace(/\.$/, '')}.`;
}

function restate({ request, files, isFirst, isFollowUp }: ParsedPrompt): string {
  const attached = files === 0 ? '' : ` with ${files} attached ${files === 1 ? 'file' : 'files'}`;
  const asked =
    request === ''
      ? `You sent no text${attached}.`
      : `${isFollowUp ? 'You now ask' : 'You ask'}${attached}: “${gist(request)}”${/[.!?…]$/.test(gist(request)) ? '' : '.'}`;
  return isFirst ? `${about}\n\n${asked}` : asked;
}

function isCompletion(toolName: string, value: unknown): boolean {
  return /^(finish|complete)Task$/.test(toolName) && typeof value === 'string' && /completed/i.test(value);
}

function gist(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length > 160 ? `${beginningOf(line, 160).trimEnd()}…` : line;
}

function list(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}
