import type { Plugin, Rolldown } from 'vite';

/** The modules whose files the page draws first. Most functions of these files are called at once. */
const drawnFirst = ['/playground/src/main.tsx', '/playground/src/transcript/transcript.tsx'];
/** Must be a file's first line. Browsers other than Chromium ignore it. */
const HINT = '//# allFunctionsCalledOnLoad\n';

/**
 * Lets Chromium compile the files that the page draws first as a whole, in another thread, while they load.
 * Otherwise, the page's thread would compile each function when it is first called. For files that load later, this
 * would delay the first paint on a computer with few cores.
 */
export function compileAtOnce(): Plugin {
  return {
    name: 'cueline:compile-at-once',
    apply: 'build',
    // after Vite has put lines of its own at the top, and outside of `worker`
    generateBundle: {
      order: 'post',
      handler(_options, files) {
        for (const module of drawnFirst) {
          const file = fileWith(module, files);
          if (file === undefined) return this.error(`No file of the build has ${module}.`);
          file.code = HINT + file.code;
        }
      },
    },
    writeBundle(_options, files) {
      for (const module of drawnFirst) {
        const file = fileWith(module, files);
        if (file?.code.startsWith(HINT) === true) continue;
        this.error(
          `${HINT.trim()} is not the first line of the file that has ${module}. A plugin has changed it.`,
        );
      }
    },
  };
}

function fileWith(module: string, files: Rolldown.OutputBundle): Rolldown.OutputChunk | undefined {
  const file = Object.values(files).find(
    (it) => it.type === 'chunk' && it.moduleIds.some((id) => id.endsWith(module)),
  );
  return file?.type === 'chunk' ? file : undefined;
}
