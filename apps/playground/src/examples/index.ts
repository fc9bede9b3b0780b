import askFirst from './ask-first.ts?raw';
import cafeName from './cafe-name.ts?raw';
import failingTool from './failing-tool.ts?raw';
import fileNotes from './file-notes.ts?raw';
import invoice from './invoice.ts?raw';
import kitchenGarden from './kitchen-garden.ts?raw';
import mailDesk from './mail-desk.ts?raw';
import memory from './memory.ts?raw';
import movingHouse from './moving-house.ts?raw';
import newsroom from './newsroom.ts?raw';
import ownPlan from './own-plan.ts?raw';
import researchNotes from './research-notes.ts?raw';
import shipsCat from './ships-cat.ts?raw';
import ticketDesk from './ticket-desk.ts?raw';
import tripPlanner from './trip-planner.ts?raw';
import weatherLog from './weather-log.ts?raw';
import weather from './weather.ts?raw';

export type Example = { id: string; title: string; description: string; source: string };

/** A group of examples. */
export type ExampleGroup = { title: string; examples: readonly Example[] };

/** The gallery, from the simplest example to the most complex. */
export const exampleGroups: readonly ExampleGroup[] = [
  {
    title: 'Prompts and tools',
    examples: [
      {
        id: 'weather',
        title: 'Weather',
        description: 'One tool, one question: the smallest agent.',
        source: weather,
      },
      {
        id: 'trip-planner',
        title: 'Trip planner',
        description: 'Variables, data and three tools in four steps.',
        source: tripPlanner,
      },
      {
        id: 'research-notes',
        title: 'Research notes',
        description: 'Thinks first, then searches, reads and cites.',
        source: researchNotes,
      },
      {
        id: 'invoice',
        title: 'Letter to invoice',
        description: 'A strict schema turns a letter into data.',
        source: invoice,
      },
    ],
  },
  {
    title: 'More of tools',
    examples: [
      {
        id: 'failing-tool',
        title: 'A tool that fails',
        description: 'The model reads the error, and finds another way.',
        source: failingTool,
      },
      {
        id: 'file-notes',
        title: 'Many calls in one',
        description: 'A composite tool, of which one part fails.',
        source: fileNotes,
      },
      {
        id: 'ask-first',
        title: 'Ask before sending',
        description: 'A call that waits until you approve it.',
        source: askFirst,
      },
    ],
  },
  {
    title: 'Agents and tasks',
    examples: [
      {
        id: 'newsroom',
        title: 'Researchers and a writer',
        description: 'Agents side by side, with data and text.',
        source: newsroom,
      },
      {
        id: 'moving-house',
        title: 'Task list',
        description: 'Each task has its own tools and checks.',
        source: movingHouse,
      },
      {
        id: 'own-plan',
        title: 'A list of its own',
        description: 'The model writes its tasks, and you join in.',
        source: ownPlan,
      },
    ],
  },
  {
    title: 'Hooks and plugins',
    examples: [
      {
        id: 'ticket-desk',
        title: 'Tools step by step',
        description: 'A hook says what each step may do.',
        source: ticketDesk,
      },
      {
        id: 'memory',
        title: 'A plugin',
        description: 'Tools and typed methods to share.',
        source: memory,
      },
    ],
  },
  {
    title: 'Sessions and agent calls',
    examples: [
      {
        id: 'kitchen-garden',
        title: 'A session',
        description: 'Works through a job, and says when it is done.',
        source: kitchenGarden,
      },
      {
        id: 'weather-log',
        title: 'A nudge',
        description: 'A model that only talks is reminded of its task.',
        source: weatherLog,
      },
      {
        id: 'ships-cat',
        title: 'A long conversation',
        description: 'Summed up on the way, to fit a limit of tokens.',
        source: shipsCat,
      },
      {
        id: 'cafe-name',
        title: 'An answer in tags',
        description: 'A tag is missing, so it is sent back.',
        source: cafeName,
      },
      {
        id: 'mail-desk',
        title: 'A classifier',
        description: 'Each mail gets one of three labels.',
        source: mailDesk,
      },
    ],
  },
];

/** All examples; the first one is in the editor of a new visitor. */
export const examples: readonly Example[] = exampleGroups.flatMap((group) => group.examples);

/** The example that a script is, unedited. */
export function exampleOf(script: string): Example | undefined {
  const text = script.trim();
  return examples.find(({ source }) => source.trim() === text);
}

/** True for an unedited example. */
export function isUnedited(script: string): boolean {
  return exampleOf(script) !== undefined;
}
