import type { ToolSchema } from './schema.ts';

/** A Standard Schema's result. It may have a `value` even if it has issues. */
export type SchemaResult = { readonly value?: unknown; readonly issues?: readonly unknown[] | undefined };
export type Validate = (value: unknown) => SchemaResult | Promise<SchemaResult>;

/** Returns the validation function of a Standard Schema; undefined for any other schema. */
export function validateOf(schema: ToolSchema): Validate | undefined {
  const standard = (schema as { readonly '~standard'?: { readonly validate?: Validate } })['~standard'];
  return standard?.validate?.bind(standard);
}
