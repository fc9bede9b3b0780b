import type { ToolSchema } from './tool-definition.ts';

/** What a Standard Schema says about a value. Where there are issues, `value` may be there too. */
export type SchemaResult = { readonly value?: unknown; readonly issues?: readonly unknown[] | undefined };
export type Validate = (value: unknown) => SchemaResult | Promise<SchemaResult>;

/** How a Standard Schema validates; undefined for any other schema. */
export function validateOf(schema: ToolSchema): Validate | undefined {
  const standard = (schema as { readonly '~standard'?: { readonly validate?: Validate } })['~standard'];
  return standard?.validate === undefined ? undefined : (value) => standard.validate!(value);
}
