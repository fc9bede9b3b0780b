import type { PromptParameter, PromptRecord } from './prompt-record.ts';

/**
 * The input of a prompt: an object with its parameters. Exact for a prompt that TypeScript knows as a literal
 * (`as const satisfies PromptRecord`), and any parameters for one that is loaded at run time.
 */
export type PromptInput<Prompts extends readonly PromptRecord[], Reference extends string> =
  IsLiteral<Prompts> extends true
    ? InputOf<ByReference<Prompts, Reference>>
    : Readonly<Record<string, string | number | boolean>>;

/** The ids of a library's prompts; any text for prompts that are loaded at run time. */
export type PromptId<Prompts extends readonly PromptRecord[]> =
  IsLiteral<Prompts> extends true ? Prompts[number]['id'] : string;

/** `greet`, or `greet@` and a version, a range or `latest`. */
export type PromptReference<Prompts extends readonly PromptRecord[]> =
  | PromptId<Prompts>
  | `${PromptId<Prompts>}@${string}`;

/** True if the ids are known while TypeScript compiles. */
type IsLiteral<Prompts extends readonly PromptRecord[]> = string extends Prompts[number]['id'] ? false : true;

type ByReference<
  Prompts extends readonly PromptRecord[],
  Reference extends string,
> = Reference extends `${infer Id}@${infer Version}`
  ? ByVersion<Extract<Prompts[number], { readonly id: Id }>, Version>
  : Extract<Prompts[number], { readonly id: Reference }>;

/** An exact version is one record. A range may choose each of them. */
type ByVersion<Record extends PromptRecord, Version extends string> = [
  Extract<Record, { readonly version: Version }>,
] extends [never]
  ? Record
  : Extract<Record, { readonly version: Version }>;

type InputOf<Record extends PromptRecord> = Record extends PromptRecord
  ? Simplify<RequiredOf<ParametersOf<Record>> & OptionalOf<ParametersOf<Record>>>
  : never;

type ParametersOf<Record extends PromptRecord> =
  | ListOf<Record['systemPromptParameters']>
  | ListOf<Record['userPromptParameters']>
  | ListOf<Record['userPromptsParameters']>;

type ListOf<List> = List extends readonly (infer Parameter extends PromptParameter)[] ? Parameter : never;

type RequiredOf<Parameter extends PromptParameter> = {
  [One in Parameter as IsOptional<One> extends true ? never : One['name']]: ValueOf<One>;
};
type OptionalOf<Parameter extends PromptParameter> = {
  [One in Parameter as IsOptional<One> extends true ? One['name'] : never]?: ValueOf<One> | undefined;
};

type IsOptional<Parameter> = Parameter extends { readonly required: false }
  ? true
  : Parameter extends { readonly required: true }
    ? false
    : Parameter extends { readonly defaultValue: string | number | boolean }
      ? true
      : false;

type ValueOf<Parameter extends PromptParameter> = Parameter extends {
  readonly allowedValues: readonly (infer Allowed)[];
}
  ? Allowed
  : Parameter['type'] extends 'number' | 'kNumber'
    ? number
    : Parameter['type'] extends 'boolean' | 'kBoolean'
      ? boolean
      : string;

type Simplify<Type> = { [Key in keyof Type]: Type[Key] };
