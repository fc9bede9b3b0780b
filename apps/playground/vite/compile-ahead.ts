import type { Plugin } from 'vite';

/** The files whose functions run before the page answers: its first paint, and the editor. */
const files = /^assets\/(index|page|monaco-\w+|script-editor)-[\w-]+\.js$/;

/** Has Chromium compile these files' functions while they load, in another thread. Other browsers see a comment. */
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
