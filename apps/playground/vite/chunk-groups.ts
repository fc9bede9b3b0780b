/** A file of the build, with the modules that match and all that these need. A higher priority takes them first. */
type ChunkGroup = { name: string; priority: number } & ({ test: RegExp } | { tags: ['$initial'] });

/** Monaco in parts, each with what it needs of the parts before it. The page evaluates each part in a task of its own. */
const editorParts: Readonly<Record<string, RegExp>> = {
  'monaco-styles': /monaco-editor.*\.css$/,
  'monaco-model': /monaco-editor.*\/editor\/common\/model\/textModel\.js$/,
  'monaco-view': /monaco-editor.*\/editor\/browser\/view\.js$/,
  'monaco-services': /monaco-editor.*\/standalone\/browser\/standaloneServices\.js$/,
  'monaco-editor': /monaco-editor.*\/esm\/vs\/editor\/editor(\.main|\.api)?\.js$/,
  'monaco-features': /playground\/src\/editor\/monaco-features\.ts$/,
};

/**
 * Files that hold together what a visit loads together. Each request costs the page's thread time, and many small files are
 * more bytes.
 */
export const chunkGroups: ChunkGroup[] = [
  // all that the first paint needs
  { name: 'page', tags: ['$initial'], priority: 100 },
  ...Object.entries(editorParts).map(([name, test], index) => ({ name, test, priority: 90 - index })),
];
