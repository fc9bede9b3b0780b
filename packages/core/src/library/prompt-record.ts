/** The type of a parameter's value. The names that begin with `k` mean the same as those without. */
export type ParameterType =
  | 'string'
  | 'number'
  | 'boolean'
  | 'enum'
  | 'kString'
  | 'kNumber'
  | 'kBoolean'
  | 'kEnum';

/** A value that replaces `{NAME}` in a text. */
export type ParameterValue = string | number | boolean;

/** A parameter of a prompt, as a prompt file declares it. */
export type PromptParameter = {
  /** The name between the braces of the text: `CITY` for `{CITY}`. Letters, digits, `_` and `-`. */
  readonly name: string;
  readonly type: ParameterType;
  readonly description?: string | undefined;
  /** Whether a value must be passed. Default: true, unless there is a `defaultValue`. */
  readonly required?: boolean | undefined;
  /** The value where none is passed. Without it, an optional parameter is the empty text. */
  readonly defaultValue?: ParameterValue | undefined;
  /** The values that can be passed. An `enum` needs it; a string and a number can have it. */
  readonly allowedValues?: readonly (string | number)[] | undefined;
};

/**
 * The status of a version: only its exact version finds a draft, and a range chooses a deprecated one only if
 * none is active.
 */
export type PromptStatus = 'draft' | 'active' | 'deprecated';

/** One version of a prompt, as a prompt file has it. */
export type PromptRecord = {
  readonly id: string;
  /** `1.2.3`, as semver has it. */
  readonly version: string;
  /** A name for people. */
  readonly name: string;
  readonly description?: string | undefined;
  /** Default: `active`. */
  readonly status?: PromptStatus | undefined;
  readonly systemPrompt?: string | undefined;
  readonly systemPromptParameters?: readonly PromptParameter[] | undefined;
  readonly userPrompt: string;
  readonly userPromptParameters?: readonly PromptParameter[] | undefined;
  /** An older spelling of `userPromptParameters`, still read. */
  readonly userPromptsParameters?: readonly PromptParameter[] | undefined;
  /** Anything else about the prompt, such as its owner. Kept, and not interpreted. */
  readonly metadata?: Readonly<Record<string, unknown>> | undefined;
};

/** A parameter as the library has read it, with its defaults filled in. */
export type LibraryParameter = {
  readonly name: string;
  readonly type: 'string' | 'number' | 'boolean' | 'enum';
  readonly description?: string;
  readonly required: boolean;
  readonly defaultValue?: ParameterValue;
  readonly allowedValues?: readonly (string | number)[];
};

/** One version of a prompt in a library. Frozen. */
export type LibraryPrompt = {
  readonly id: string;
  readonly version: string;
  readonly name: string;
  readonly description?: string;
  readonly status: PromptStatus;
  /** Empty for a prompt without a system prompt. */
  readonly systemPrompt: string;
  readonly systemPromptParameters: readonly LibraryParameter[];
  readonly userPrompt: string;
  readonly userPromptParameters: readonly LibraryParameter[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** SHA-256 of the texts and parameters in hexadecimal: equal for equal content, regardless of version and name. */
  readonly hash: string;
  /** True for a prompt whose texts only its MCP server knows. `definePrompt` asks the server for them in each run. */
  readonly remote?: true;
};
