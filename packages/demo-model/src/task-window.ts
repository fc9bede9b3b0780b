/** One task as the window names it; `id` where the model picks its tasks itself. */
export type WindowTask = { id?: string; title: string };

/** A task list as a run tells the model of it before each step. */
export type TaskWindow = {
  /** With what came of each, where that is said. */
  done: readonly (WindowTask & { result?: string })[];
  current: WindowTask | undefined;
  next: readonly WindowTask[];
  /** What the user has changed, in sentences. */
  edits: readonly string[];
  /** True once nothing is left to do. */
  allDone: boolean;
};

const headings = /^(?:Completed tasks:|Upcoming tasks:|Pending tasks:|Changes by the user:)\n/;
const current = /^(?:\[Task \d+\/\d+\]|Current task: \[([^\]\s]+)\]) ?/;
const over = /^(?:All tasks are completed\.|Task \d+\/\d+ failed after )/;

/** The task list that a message tells of; undefined where it tells of none. */
export function readTaskWindow(text: string): TaskWindow | undefined {
  const sections = text.split('\n\n');
  if (!sections.every((section) => [headings, current, over].some((kind) => kind.test(section)))) {
    return undefined;
  }
  const entries = (heading: string): string[] =>
    sections.filter((section) => section.startsWith(heading)).flatMap(readEntries);
  const at = sections.find((section) => current.test(section));
  return {
    done: entries('Completed tasks:').map(readDone),
    current: at === undefined ? undefined : readCurrent(at),
    next: [...entries('Upcoming tasks:'), ...entries('Pending tasks:')].map(readTask),
    edits: entries('Changes by the user:').map((entry) => entry.replace(/^- /, '')),
    allDone: sections.some((section) => over.test(section)),
  };
}

/** The entries of a section; lines that stand further in belong to the one before. */
function readEntries(section: string): string[] {
  const entries: string[] = [];
  for (const line of section.split('\n').slice(1)) {
    if (line.startsWith('   ') && entries.length > 0) entries[entries.length - 1] += `\n${line.trim()}`;
    else entries.push(line);
  }
  return entries;
}

function readTask(entry: string): WindowTask {
  const [, id, title = ''] = /^(?:\d+\. |- ([^:\s]+): )([\s\S]*)$/.exec(entry) ?? [];
  return id === undefined ? { title } : { id, title };
}

function readDone(entry: string): TaskWindow['done'][number] {
  const { title: whole, ...id } = readTask(entry);
  const arrow = whole.indexOf(' → ');
  if (arrow < 0) return { ...id, title: whole };
  return { ...id, title: whole.slice(0, arrow), result: whole.slice(arrow + 3) };
}

function readCurrent(section: string): WindowTask {
  const [mark = '', id] = current.exec(section) ?? [];
  const [title = ''] = section.slice(mark.length).split(/\nYour last result was not accepted: /);
  return id === undefined ? { title: title.trim() } : { id, title: title.trim() };
}
