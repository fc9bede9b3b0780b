/**
 * A file of the build: the matching modules and all modules that they need. A group with a higher priority takes its
 * modules first.
 */
type ChunkGroup = { name: string; priority: number } & ({ test: RegExp } | { tags: ['$initial'] }) & {
    /** True if modules that other parts of the page need, too, get files of their own. */
    entriesAware?: true;
    /** The size, in bytes, below which such a file is merged with another one. */
    entriesAwareMergeThreshold?: number;
  };

/**
 * Monaco in parts, each with the modules that it needs and earlier parts lack. The page evaluates each part in a task
 * of its own.
 */
const editorParts: Readonly<Record<string, RegExp>> = {
  'monaco-styles': /monaco-editor.*\.css$/,
  'monaco-model': /monaco-editor.*\/editor\/common\/model\/textModel\.js$/,
  'monaco-view': /monaco-editor.*\/editor\/browser\/view\.js$/,
  'monaco-services': /monaco-editor.*\/standalone\/browser\/standaloneServices\.js$/,
  'monaco-editor': /monaco-editor.*\/esm\/vs\/editor\/editor(\.main|\.api)?\.js$/,
  'monaco-features': /playground\/src\/editor\/monaco-features\.ts$/,
};

/**
 * Groups modules that a visit loads together into one file. Each request takes time on the page's thread, and many
 * small files have more bytes.
 */
export const chunkGroups: ChunkGroup[] = [
  // everything that the first paint needs
  { name: 'page', tags: ['$initial'], priority: 100 },
  ...Object.entries(editorParts).map(([name, test], index) => ({ name, test, priority: 90 - index })),
  {
    name: 'run',
    test: /(playground\/src\/(transcript\/transcript|panes\/(past-bar|shared-run-bar)|forks\/session-forks)\.tsx|core\/src\/.*\/retry-run\.ts)$/,
    priority: 80,
  },
  {
    name: 'history',
    test: /playground\/src\/history\/history\.ts$/,
    priority: 79,
    entriesAware: true,
    entriesAwareMergeThreshold: 20_000,
  },
  {
    name: 'sandbox',
    test: /playground\/src\/(sandbox\/index|model\/create-model|examples\/scripted-answers-for)\.ts$/,
    priority: 78,
    entriesAware: true,
    entriesAwareMergeThreshold: 20_000,
  },
];

/** The name of a file. The names of all parts that share it would be too long. */
export function chunkFileNames({ name }: { name: string }): string {
  return `assets/${name.split('~', 1)[0]}-[hash].js`;
}
