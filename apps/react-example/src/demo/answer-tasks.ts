import type { ScriptedPart, ScriptedTurn } from '@cueline/core/testing';
import type { ReadCall } from './read-call.ts';

const results: [RegExp, string][] = [
  [/room/i, 'Garden room for the parents, attic for the three children.'],
  [/breakfast/i, 'Five breakfasts at eight, one without nuts.'],
  [/station|train/i, 'A taxi with five seats waits at 17:40 at platform 2.'],
  [/note|write/i, 'Welcome, dear Costas! The key hangs by the door.'],
];

/** Works on the task that the list's window names, and mentions the user's changes. */
export function answerTasks({ said, replied, results: answers }: ReadCall): ScriptedTurn {
  const title = /^\[Task \d+\/\d+\] (.*)$/m.exec(said)?.[1];
  if (title === undefined) return 'Everything is prepared. **Have a good Saturday!**';
  const changes = (/Changes by the user:\n((?:- .*\n?)+)/.exec(said)?.[1] ?? '')
    .split('\n')
    .map((line) => line.replace(/^- /, '').trim())
    .filter((line) => line !== '' && !replied.includes(line));
  const aside = changes.length === 0 ? '' : `I see: ${changes.join(' ')} `;

  const refused = answers.some(
    ({ toolName, text }) => toolName === 'finishTask' && text.startsWith('Validation failed'),
  );
  if (refused) return [`${aside}Shorter, then.`, finish(resultFor(title))];
  if (answers.some(({ toolName }) => toolName === 'lookUp')) {
    const isLong = /note|write/i.test(title);
    return [...(aside === '' ? [] : [aside]), finish(isLong ? longer(resultFor(title)) : resultFor(title))];
  }
  return [`${aside}Now: ${title}.`, { toolCall: { name: 'lookUp', input: { subject: title } }, delay: 250 }];
}

/** With time for the user to look at the list, and to change it. */
function finish(result: string): ScriptedPart {
  return { toolCall: { name: 'finishTask', input: { result } }, delay: 900 };
}

function resultFor(title: string): string {
  return results.find(([words]) => words.test(title))?.[1] ?? `“${title}” is done.`;
}

function longer(result: string): string {
  return `${result} We are so very glad that you have chosen to stay with us, and we hope that you like it here.`;
}
