import { parseArgs } from 'node:util';
import { CuelineError } from '@cueline/core';
import { runEvalCommand } from './eval-command.ts';
import { evalOptions, usage } from './options.ts';

/** Runs the command with the arguments of the process, and sets its exit code. */
export async function main(args: readonly string[] = process.argv.slice(2)): Promise<void> {
  const [command, ...rest] = args;
  if (command === undefined || command === '--help' || command === '-h' || command === 'help') {
    console.log(usage);
    return;
  }
  try {
    if (command !== 'eval') {
      throw new CuelineError('invalid_options', `There is no command "${command}". Write: cueline eval`);
    }
    const { values, positionals } = parse(rest);
    if (values.help === true) {
      console.log(usage);
      return;
    }
    await runEvalCommand(positionals, values);
  } catch (error) {
    if (!CuelineError.isInstance(error)) throw error;
    console.error(error.message);
    process.exitCode = 2;
  }
}

function parse(
  args: string[],
): ReturnType<typeof parseArgs<{ options: typeof evalOptions; allowPositionals: true }>> {
  try {
    return parseArgs({ args, options: evalOptions, allowPositionals: true });
  } catch (error) {
    throw new CuelineError('invalid_options', `${(error as Error).message}\nSee: cueline eval --help`);
  }
}
