import {
  BookOpen,
  Copy,
  Cpu,
  Eye,
  FileCode2,
  FilePlus2,
  Footprints,
  History,
  Link2,
  Monitor,
  Moon,
  PanelBottom,
  PanelRight,
  Pencil,
  Play,
  Square,
  Sun,
  type LucideIcon,
} from 'lucide-react';
import { exampleGroups } from '../../examples/index.ts';
import { formatWhen } from '../../history/format-when.ts';
import { useLibrary, useListedScripts } from '../../history/library.ts';
import { openStored } from '../../history/run-actions.ts';
import { duplicateScript, newScript, openScript } from '../../history/script-actions.ts';
import { useInspection } from '../../state/inspection.ts';
import { openPreview, usePreview } from '../../state/preview.ts';
import { replaceScript } from '../../state/replace-script.ts';
import { currentSession, usePlayground, type RunSession, type ThemeChoice } from '../../state/store.ts';
import { useNarrow } from '../../state/theme.ts';
import { useOwnRunning } from '../../state/use-running.ts';
import { formatDuration } from '../../ui/format.ts';
import { openView, views } from '../panes.tsx';
import { startOpenView, stopOpenView } from '../start-and-stop.ts';

/** Something that the page can do. */
export type PageCommand = {
  id: string;
  label: string;
  detail?: string | undefined;
  Icon: LucideIcon;
  /** The keys that do the same. */
  keys?: readonly string[];
  run: () => void;
};

export type CommandGroup = { title: string; commands: readonly PageCommand[] };

/** What the page can do now; groups without a command are left out. */
export function useCommands(): readonly CommandGroup[] {
  const session = usePlayground(currentSession);
  const narrow = useNarrow();
  const scripts = useListedScripts();
  const runs = useLibrary((state) => state.runs);
  const groups = [
    { title: 'Run', commands: useRunCommands() },
    { title: 'Steps of this run', commands: session === undefined ? [] : stepCommands(session) },
    // a phone has no panes to hide
    { title: 'Page', commands: usePageCommands(session !== undefined && !narrow) },
    {
      title: 'Your scripts',
      commands: [
        { id: 'new-script', label: 'New script', Icon: FilePlus2, run: newScript },
        { id: 'duplicate', label: 'Duplicate the script', Icon: Copy, run: duplicateScript },
        {
          id: 'rename',
          label: 'Rename the script…',
          Icon: Pencil,
          run: () => inScriptView(() => usePlayground.setState({ dialog: 'rename' })),
        },
        ...scripts.map(({ id, name, detail }): PageCommand => {
          const run = (): void => inScriptView(() => openScript(id));
          return { id: `script ${id}`, label: name, detail, Icon: FileCode2, run };
        }),
      ],
    },
    {
      title: 'Examples',
      commands: exampleGroups.flatMap(({ examples }) =>
        examples.map(({ id, title, description, source }): PageCommand => {
          const run = (): void => inScriptView(() => replaceScript(source, title));
          return { id: `example ${id}`, label: title, detail: description, Icon: BookOpen, run };
        }),
      ),
    },
    {
      title: 'Earlier runs',
      commands: runs.map((row): PageCommand => {
        const detail = `${formatWhen(row.startedOn)} · ${row.model.name}`;
        return {
          id: `run ${row.id}`,
          label: row.title,
          detail,
          Icon: History,
          run: () => void openStored(row),
        };
      }),
    },
  ];
  return groups.filter(({ commands }) => commands.length > 0);
}

/** What each view has. */
const nouns = { script: 'script', prompts: 'prompt', evals: 'eval' } as const;

function useRunCommands(): PageCommand[] {
  const view = usePlayground((state) => state.view);
  const isRunning = useOwnRunning();
  const previews = usePreview((state) => state.open);
  const run: PageCommand = isRunning
    ? { id: 'run', label: 'Stop', Icon: Square, keys: ['Esc'], run: stopOpenView }
    : { id: 'run', label: `Run the ${nouns[view]}`, Icon: Play, keys: ['Mod', '↵'], run: startOpenView };
  if (view !== 'script') return [run];
  const label = previews ? 'Close the preview' : 'Preview the request';
  return [run, { id: 'preview', label, Icon: Eye, run: () => openPreview(!previews) }];
}

function usePageCommands(hasPanes: boolean): PageCommand[] {
  const page = usePlayground();
  const { view } = page;
  const toggle = (id: 'inspector' | 'timeline', Icon: LucideIcon): PageCommand => {
    const isOpen = page[`${id}Open`];
    const label = `${isOpen ? 'Hide' : 'Show'} the ${id}`;
    return { id, label, Icon, run: () => usePlayground.setState({ [`${id}Open`]: !isOpen }) };
  };
  const theme = (id: ThemeChoice, label: string, Icon: LucideIcon): PageCommand => {
    return { id, label, Icon, run: () => usePlayground.setState({ theme: id }) };
  };
  return [
    ...views
      .filter((one) => one.view !== view)
      .map(({ view: next, title, Icon }): PageCommand => {
        return { id: `view ${next}`, label: `Go to ${title}`, Icon, run: () => openView(next) };
      }),
    {
      id: 'history',
      label: 'Open the history',
      Icon: History,
      run: () => usePlayground.setState({ dialog: 'history' }),
    },
    {
      id: 'share',
      label: `Share the ${nouns[view]}…`,
      Icon: Link2,
      run: () => usePlayground.setState({ dialog: 'share' }),
    },
    ...(hasPanes ? [toggle('inspector', PanelRight), toggle('timeline', PanelBottom)] : []),
    {
      id: 'model',
      label: 'Change the model…',
      Icon: Cpu,
      run: () => usePlayground.setState({ modelDialogOpen: true }),
    },
    theme('dark', 'Dark theme', Moon),
    theme('light', 'Light theme', Sun),
    theme('system', 'Theme of the system', Monitor),
  ];
}

/** The steps of the last turn; choosing one selects it everywhere on the page. */
function stepCommands({ run, earlier }: RunSession): PageCommand[] {
  const state = run.getState();
  return state.steps.map(({ step, startedAt, finishedAt }): PageCommand => {
    const tools = state.toolCalls.filter((call) => call.step === step).map(({ toolName }) => toolName);
    const what = tools.length > 0 ? [...new Set(tools)].join(', ') : 'text';
    const time = finishedAt === undefined ? undefined : formatDuration(finishedAt - startedAt);
    return {
      id: `step ${step}`,
      label: `Step ${step + 1}`,
      detail: time === undefined ? what : `${what} · ${time}`,
      Icon: Footprints,
      run() {
        useInspection.getState().select({ kind: 'step', turn: earlier.length, step });
        usePlayground.setState({ tab: 'trace' });
      },
    };
  });
}

/** Opens the Script view, where the editor is, before something is put into it. */
function inScriptView(open: () => unknown): void {
  if (usePlayground.getState().view !== 'script') openView('script');
  open();
}
