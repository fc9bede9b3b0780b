import type { TaskEdit } from './task-item.ts';
import { quote } from './task-text.ts';

type Field = 'taskId' | 'title' | 'index' | 'reason' | 'result';

const fields: Readonly<Record<TaskEdit['type'], { needs: readonly Field[]; may: readonly Field[] }>> = {
  add: { needs: ['title'], may: ['index'] },
  rename: { needs: ['taskId', 'title'], may: [] },
  remove: { needs: ['taskId'], may: [] },
  move: { needs: ['taskId', 'index'], may: [] },
  skip: { needs: ['taskId'], may: ['reason'] },
  retry: { needs: ['taskId'], may: [] },
  resolve: { needs: ['taskId', 'result'], may: [] },
};

/** Returns what is wrong with the form of an edit, which may come from a network; undefined for a valid edit. */
export function editFault(edit: unknown): string | undefined {
  const kinds = Object.keys(fields).join(', ');
  if (typeof edit !== 'object' || edit === null) return `An edit is an object with a type, one of: ${kinds}.`;
  const { type, ...rest } = edit as Record<string, unknown>;
  if (!isKind(type)) {
    const what = typeof type === 'string' ? `There is no edit ${quote(type)}` : 'The edit has no type';
    return `${what}. The types are: ${kinds}.`;
  }
  const { needs, may } = fields[type];
  for (const field of [...needs, ...may]) {
    const value = rest[field];
    if (value === undefined && may.includes(field)) continue;
    const fits = field === 'index' ? Number.isInteger(value) : typeof value === 'string';
    if (!fits)
      return `The edit “${type}” needs ${field} to be ${field === 'index' ? 'a whole number' : 'a string'}.`;
    const blank = typeof value === 'string' && value.trim() === '' && field !== 'reason';
    if (blank) return `The edit “${type}” has an empty ${field}. Give it a text.`;
  }
  return undefined;
}

function isKind(type: unknown): type is TaskEdit['type'] {
  return typeof type === 'string' && Object.hasOwn(fields, type);
}
