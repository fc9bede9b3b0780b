/** The same symbol in every copy of this package. Neither JSON nor a structured clone carries it. */
export const brand: unique symbol = Symbol.for('cueline.part');

/**
 * True for a part that one of these constructors has made, in any copy of this package; false for data of the same
 * shape.
 */
export function isPart(value: object): boolean {
  return Object.hasOwn(value, brand);
}
