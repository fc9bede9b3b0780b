import { thrownText } from './error-source.ts';
import { CuelineError, type CuelineErrorCode } from './errors.ts';
import { installCommand } from './install-command.ts';
import { missingPackage } from './missing-package.ts';

/** Returns `missing_package` if the cause is a package that is not installed, otherwise `code` with its reason. */
export function toLoadError(failed: string, cause: unknown, code: CuelineErrorCode): CuelineError {
  const name = missingPackage(cause);
  if (name !== undefined) {
    return new CuelineError(
      'missing_package',
      `${failed}, because the package ${name} is not installed. Install it: ${installCommand(name)}`,
      { cause, details: { package: name } },
    );
  }
  return new CuelineError(
    code,
    `${failed} (${thrownText(cause)}). In a browser, check the connection and reload the page.`,
    { cause },
  );
}
