/**
 * Marks the parts that `textPart`, `imagePart`, `filePart` and `audioPart` make. The same symbol in every copy of this
 * package. Neither JSON nor a structured clone carries it.
 */
export const partBrand: unique symbol = Symbol.for('cueline.part');
