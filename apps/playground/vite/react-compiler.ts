import babel from '@rolldown/plugin-babel';
import type { PluginOption } from 'vite';

/**
 * Lets the React Compiler memoize the output of components, so that a streaming run redraws only what changes. A
 * component that it cannot compile stays as it is.
 */
export function reactCompiler(): PluginOption {
  return babel({
    include: /\/(apps\/playground|packages\/react)\/src\/.*\.tsx?$/,
    plugins: ['babel-plugin-react-compiler'],
  });
}
