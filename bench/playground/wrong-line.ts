/** A line that the types of the language itself show to be wrong. */
export const wrongLine = "const notANumber: number = 'seven';\n";
