import type { Plugin } from 'vite';

/** The files whose functions run before the page becomes interactive: those of the first paint, and the editor. */
const files = /^assets\/(index|page|monaco-\w+|script-editor)-[\w-]+\.js$/;

/** Makes Chromium compile these files' functions in another thread while they load. Other browsers see a comment. */
export function compileAhead(): Plugin {
  return {
    name: 'cueline:compile-ahead',
    apply: 'build',
    generateBundle: {
      order: 'post',
      handler(_options, bundle) {
        for (const file of Object.values(bundle)) {
          if (file.type === 'chunk' && files.test(file.fileName)) {
            file.code = `//# allFunctionsCalledOnLoad\n${file.code}`;
          }
        }
      },
    },
  };
}
