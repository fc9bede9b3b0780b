import type { UserConfig } from 'vite';

/** How the tests serve an app: as `vite preview` does, but unpacked, and with an empty page at the same origin. */
const config: UserConfig = {
  plugins: [
    {
      name: 'cueline:unpacked',
      configurePreviewServer({ middlewares }) {
        middlewares.use((request, response, next) => {
          delete request.headers['accept-encoding'];
          if (request.url === '/blank') response.end();
          else next();
        });
      },
    },
  ],
};

export default config;
