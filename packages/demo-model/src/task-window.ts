/** One task in the window; `id` if the model picks its tasks itself. */
export type WindowTask = { id?: string; title: string };

/** A task list as the run describes it to the model before each step. */
export type TaskWindow = {
  /** With the result of each, if it is given. */
  done: readonly (WindowTask & { result?: string })[];
  current: WindowTask | undefined;
  next: readonly WindowTask[];
  /** The user's changes, in sentences. */
  edits: readonly string[];
  /** True if no task is left. */
  allDone: boolean;
};

const headings = /^(?:Completed tasks:|Upcoming tasks:|Pending tasks:|Changes by the user:)\n/;
const current = /^(?:\[Task \d+\/\d+\]|Current task: \[([^\]\s]+)\]) ?/;
const over = /^(?:All tasks are completed\.|Task \d+\/\d+ failed after )/;

/** The task list in a message; undefined if it has none. */
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

/** The entries of a section; indented lines belong to the entry before them. */
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
