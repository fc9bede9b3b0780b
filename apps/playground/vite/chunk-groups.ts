/**
 * A file of the build: the matching modules and all modules that they need. A group with a higher priority takes its
 * modules first.
 */
type ChunkGroup = { name: string; priority: number } & ({ test: RegExp } | { tags: ['$initial'] });

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
];
