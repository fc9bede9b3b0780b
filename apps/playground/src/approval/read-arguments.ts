/** The JSON that the user has written, or why it is not valid. */
export function readArguments(text: string): { value: unknown } | { fault: string } {
  if (text.trim() === '') return { fault: 'This field is empty. Write JSON, such as {}.' };
  try {
    return { value: JSON.parse(text) as unknown };
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { fault: `This is not JSON: ${why}` };
  }
}
