import type { ToolSchema } from './schema.ts';
import { validateOf, type SchemaResult } from './standard-schema.ts';

type ZodSchema = {
  readonly '~standard'?: { readonly vendor?: unknown };
  readonly safeParseAsync?: (value: unknown) => Promise<{
    readonly data?: unknown;
    readonly error?: { readonly issues: readonly unknown[] };
  }>;
};

/** Returns what a Standard Schema says about a value; undefined for any other schema. */
export async function validateStandard(
  schema: ToolSchema,
  value: unknown,
): Promise<SchemaResult | undefined> {
  const { '~standard': standard, safeParseAsync } = schema as ZodSchema;
  if (standard?.vendor !== 'zod' || safeParseAsync === undefined) return validateOf(schema)?.(value);
  // Zod's own `validate` first tries without waiting. With an asynchronous schema it calls the functions twice, and a
  // rejection of the first call, which nothing handles, ends a process in Node.
  const { data, error } = await safeParseAsync(value);
  return { value: data, issues: error?.issues };
}
