import base from './vite.config.ts';
const flat = base.plugins.flat(9);
export default {
  ...base,
  plugins: flat.filter(
    (p) => p?.name !== 'cueline:entry-limit' && !String(p?.name).startsWith('vite-plugin-pwa'),
  ),
  build: { ...base.build, minify: false },
};
