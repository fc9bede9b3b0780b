import babel from '@rolldown/plugin-babel';
import type { PluginOption } from 'vite';

/**
 * Has the React Compiler memoize what components draw: while a run streams, only what a new state changes is drawn anew. A
 * component that it cannot compile stays as it is.
 */
export function reactCompiler(): PluginOption {
  return babel({
    include: /\/(apps\/playground|packages\/react)\/src\/.*\.tsx?$/,
    plugins: ['babel-plugin-react-compiler'],
  });
}
