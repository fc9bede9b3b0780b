/** The members of a value that are not undefined. */
export type Defined<Value extends object> = { [Name in keyof Value]?: Exclude<Value[Name], undefined> };

/** Returns the members that are not undefined, for a function whose options must be left out instead. */
export function withoutUndefined<Value extends object>(value: Value): Defined<Value> {
  return Object.fromEntries(
    Object.entries(value).filter(([, member]) => member !== undefined),
  ) as Defined<Value>;
}
