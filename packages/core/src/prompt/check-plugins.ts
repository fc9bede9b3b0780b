import { CuelineError } from '../base/errors.ts';
import type { Plugin } from './prompt.ts';

/** Checks that this is a list of plugins. @throws CuelineError `invalid_options` */
export function checkPlugins(plugins: readonly Plugin[]): readonly Plugin[] {
  if (Array.isArray(plugins)) return plugins;
  throw new CuelineError('invalid_options', 'plugins takes a list. Write plugins: [memory].');
}
