import type { PluginOption } from 'vite';
import { VitePWA } from 'vite-plugin-pwa';

/**
 * Makes the service worker, which stores every file of the build, so that the page opens and runs the demo model
 * without a network. It stores nothing else: no shared run, and no answer of a model. A new version waits until every
 * page of the old version is closed, so that a page never loses the files that it was built with.
 */
export function offline(): PluginOption {
  return VitePWA({
    strategies: 'generateSW',
    registerType: 'prompt',
    // src/state/keep-offline.ts does, once the page has loaded: the page's policy allows no inline script
    injectRegister: null,
    manifest: {
      name: 'Cueline Playground',
      short_name: 'Cueline',
      description: 'Write a prompt as a TypeScript function, run it, and watch everything it does.',
      display: 'standalone',
      start_url: './',
      scope: './',
      background_color: '#0a0b0d',
      theme_color: '#101215',
      icons: [{ src: 'icon.svg', sizes: 'any', type: 'image/svg+xml', purpose: 'any' }],
    },
    workbox: {
      globPatterns: ['**/*.{html,js,css,json,svg,ttf,woff2}'],
      // the names of these files contain a hash of their content
      dontCacheBustURLsMatching: /\/assets\//,
      // Monaco's TypeScript worker
      maximumFileSizeToCacheInBytes: 16 * 2 ** 20,
      inlineWorkboxRuntime: true,
      sourcemap: false,
      // the page reads only the part after #
      ignoreURLParametersMatching: [/.*/],
      // other addresses of the host, such as those of a share store, do not belong to the page
      navigateFallback: null,
    },
  });
}
