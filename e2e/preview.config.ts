import type { UserConfig } from 'vite';

/** Serves an app as `vite preview` does, without compressing megabytes again for every test's empty cache. */
const config: UserConfig = {
  plugins: [
    {
      name: 'cueline:unpacked',
      configurePreviewServer({ middlewares }) {
        middlewares.use((request, _response, next) => {
          delete request.headers['accept-encoding'];
          next();
        });
      },
    },
  ],
};

export default config;
