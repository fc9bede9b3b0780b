import { readFileSync } from 'node:fs';
import { CuelineError } from '@cueline/core';
import type { EvalReport } from '@cueline/core/evals';
import * as z from 'zod/v4';

/** The content of `report.json`. */
export type EvalFile = {
  readonly version: 1;
  /** With the file that each is from, relative to the project. Earlier versions wrote none. */
  readonly evals: readonly (EvalReport & { readonly file?: string })[];
};

/** The part of a report that a comparison reads. */
const fileSchema = z.object({
  version: z.literal(1),
  evals: z.array(
    z.looseObject({
      name: z.string(),
      file: z.string().optional(),
      groups: z.array(z.looseObject({ model: z.string(), prompt: z.string() })),
      results: z.array(
        z.looseObject({
          caseId: z.string(),
          model: z.string(),
          prompt: z.string(),
          status: z.enum(['passed', 'failed', 'error']),
        }),
      ),
    }),
  ),
});

/** Reads a report that the command wrote. @throws CuelineError `invalid_options` */
export function readEvalFile(path: string): EvalFile {
  let parsed: unknown;
  try {
    parsed = JSON.parse(readFileSync(path, 'utf8'));
  } catch (error) {
    throw new CuelineError(
      'invalid_options',
      `The baseline ${path} is not readable: ${(error as Error).message}. Write it with: cueline eval --update-baseline ${path}`,
    );
  }
  const read = fileSchema.safeParse(parsed);
  if (read.success) return read.data as unknown as EvalFile;
  const [issue] = read.error.issues;
  throw new CuelineError(
    'invalid_options',
    `The baseline ${path} is not a report: ${issue?.path.join('.')}: ${issue?.message}. Write it with: cueline eval --update-baseline ${path}`,
  );
}
