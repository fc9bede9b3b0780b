import { gzipSync } from 'node:zlib';
import type { Plugin } from 'vite';

/**
 * How much JavaScript the page may load before it is drawn, in bytes, gzipped. The editor and whole runs load later.
 */
const LIMIT = 200_000;
/** Where the page's code begins. The chunk with it need not be an entry of the build. */
const MAIN = '/playground/src/main.tsx';

/** Reports how much JavaScript a page loads before it is drawn, and fails the build beyond the limit. */
export function entryLimit(): Plugin {
  return {
    name: 'cueline:entry-limit',
    apply: 'build',
    // after the files have been minified, and outside of `worker`, whose files the page does not load at once
    generateBundle: {
      order: 'post',
      handler(_options, files) {
        const loaded = new Set(
          Object.values(files).flatMap((file) =>
            file.type === 'chunk' && file.moduleIds.some((id) => id.endsWith(MAIN)) ? [file.fileName] : [],
          ),
        );
        if (loaded.size === 0) this.error(`No file of the build has ${MAIN}.`);
        let bytes = 0;
        // the loop also visits the items that are added during it
        for (const name of loaded) {
          const chunk = files[name];
          if (chunk?.type !== 'chunk') continue;
          bytes += gzipSync(chunk.code).length;
          for (const imported of chunk.imports) loaded.add(imported);
        }
        const size = `The page loads ${(bytes / 1000).toFixed(1)} kB of JavaScript at once, gzipped`;
        if (bytes > LIMIT)
          this.error(
            `${size}; ${LIMIT / 1000} kB are allowed. Load code that the first paint does not need with import().`,
          );
        this.info(`${size}; ${LIMIT / 1000} kB are allowed.`);
      },
    },
  };
}
