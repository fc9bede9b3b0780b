import { asSchema, jsonSchema, type FlexibleSchema, type InferSchema, type JSONSchema7 } from 'ai';
import { thrownText } from '../base/error-source.ts';
import { CuelineError } from '../base/errors.ts';
import { checkIsSchema } from './check-arguments.ts';

/** Not the AI SDK's own type, which is `any` without the types of json-schema. */
export type JsonSchema =
  | Readonly<Record<string, unknown>>
  | { readonly type?: unknown; readonly anyOf?: unknown };

/**
 * A schema for a tool's arguments: zod, any other Standard Schema, the AI SDK's `jsonSchema()`, or plain JSON Schema.
 */
export type ToolSchema = FlexibleSchema | JsonSchema;

/** The type of a tool function's arguments; `unknown` for plain JSON Schema, which has no types. */
export type ToolArguments<Schema> = Schema extends FlexibleSchema ? InferSchema<Schema> : unknown;

/** The type of what a schema reads, before defaults and transforms. */
export type SchemaSource<Schema> = Schema extends {
  readonly '~standard': { readonly types?: { readonly input: infer Source } | undefined };
}
  ? Source
  : ToolArguments<Schema>;

type StandardSchema = Exclude<Extract<FlexibleSchema, { '~standard': unknown }>, { _zod: unknown }>;

/**
 * Returns any schema of a caller as an AI SDK schema that can be sent to a provider as JSON Schema.
 * @throws CuelineError `invalid_definition`
 */
export function toSchema(name: string, schema: ToolSchema): FlexibleSchema {
  if (isStandard(schema) && !isOfZod(schema) && schema['~standard'].jsonSchema === undefined) {
    throw new CuelineError('invalid_definition', noJsonSchema(name, schema['~standard'].vendor));
  }
  // it converts once, here, and not again at each step
  const sent = asSchema(toValidator(name, schema));
  try {
    // a promise may reject later, where the schema is sent
    Promise.resolve(sent.jsonSchema).catch(() => {});
  } catch (error) {
    throw new CuelineError(
      'invalid_definition',
      `The schema of ${name} cannot be sent to a model: ${thrownText(error)}. Models write JSON. Use a schema of the JSON and transform its values: z.string().transform((day) => new Date(day)).`,
      { cause: error },
    );
  }
  return sent;
}

/**
 * Returns a schema that only validates. It may have no JSON Schema.
 * @throws CuelineError `invalid_definition`
 */
export function toValidator(name: string, schema: ToolSchema): FlexibleSchema {
  if (isStandard(schema)) return isOfZod(schema) ? schema : fromStandardSchema(schema);
  if (typeof schema === 'function') return schema as FlexibleSchema;
  if (typeof schema === 'object' && schema !== null) {
    if ('jsonSchema' in schema) return schema as FlexibleSchema;
    checkIsSchema(name, schema);
    return jsonSchema(schema as JSONSchema7);
  }
  throw new CuelineError(
    'invalid_definition',
    `Tool ${name} has no schema for its arguments. Use z.object({ … }), or z.object({}) where it takes none.`,
  );
}

/** Parses a value with a schema. @throws CuelineError `parse_failed` with the schema's issues */
export async function parseWith(schema: FlexibleSchema, value: unknown): Promise<unknown> {
  const result = await asSchema(schema).validate?.(value);
  if (result === undefined) return value;
  if (result.success) return result.value;
  throw new CuelineError('parse_failed', messageOf(result.error), { cause: result.error });
}

function isStandard(schema: unknown): schema is StandardSchema {
  return (
    (typeof schema === 'function' || (typeof schema === 'object' && schema !== null)) && '~standard' in schema
  );
}

/**
 * True for zod's own schemas. The JSON Schema that `z.toJSONSchema()` returns names zod as its vendor and is not one.
 */
function isOfZod(schema: StandardSchema): boolean {
  return schema['~standard'].vendor === 'zod' && ('_zod' in schema || '_def' in schema);
}

/**
 * Wraps a Standard Schema with validation of our own, because the AI SDK takes a result with a `value` for a success,
 * and valibot's failures have a `value` besides their `issues`.
 */
function fromStandardSchema(schema: StandardSchema): FlexibleSchema {
  const standard: StandardSchema = {
    '~standard': { ...schema['~standard'], vendor: 'standard' },
  };
  // on demand, because not every schema can be written as JSON Schema
  return jsonSchema(() => asSchema(standard).jsonSchema, {
    async validate(value) {
      const result = await schema['~standard'].validate(value);
      if (result.issues === undefined) return { success: true, value: result.value };
      const error = new Error(describeIssues(result.issues), { cause: result.issues });
      return { success: false, error };
    },
  });
}

function noJsonSchema(name: string, vendor: string): string {
  const advice =
    vendor === 'valibot'
      ? "Wrap it: toStandardJsonSchema(v.object({ … })), from '@valibot/to-json-schema'."
      : "Use a version of that library whose schemas have '~standard'.jsonSchema, or write the schema with zod or as JSON Schema.";
  return `The schema of ${name} is one of ${vendor}'s, which cannot be sent to a model as JSON Schema. ${advice}`;
}

/** Returns what a schema found wrong: the issues of the error or of its cause, otherwise the error's message. */
function messageOf(error: Error): string {
  const cause = error.cause ?? error;
  const issues: unknown = Array.isArray(cause) ? cause : (cause as { issues?: unknown }).issues;
  return Array.isArray(issues) ? describeIssues(issues as Issue[]) : error.message;
}

/** One issue of a Standard Schema. */
export type Issue = { readonly message: string; readonly path?: readonly unknown[] | undefined };

/** Returns issues with their paths, in one line. */
export function describeIssues(issues: readonly Issue[]): string {
  return issues
    .map(({ message, path = [] }) => {
      const keys = path.map((key) =>
        typeof key === 'object' && key !== null && 'key' in key ? key.key : key,
      );
      return keys.length === 0 ? message : `${keys.join('.')}: ${message}`;
    })
    .join('; ');
}
