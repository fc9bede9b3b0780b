import type { Plugin } from 'vite';

/**
 * Loads the editor's styles with the page. With the editor's code, they would arrive while the page is drawn for the
 * first time: the browser would compute all styles again, and the editor's code would wait for them.
 */
export function editorStyles(): Plugin {
  return {
    name: 'cueline:editor-styles',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle = {} }) {
        const file = Object.keys(bundle).find((name) => /^assets\/monaco-styles-[\w-]+\.css$/.test(name));
        if (file === undefined) throw new Error('No file of the build has the styles of the editor.');
        const attrs = { rel: 'stylesheet', crossorigin: true, href: `./${file}` };
        return [{ tag: 'link', attrs, injectTo: 'head' }];
      },
    },
  };
}
