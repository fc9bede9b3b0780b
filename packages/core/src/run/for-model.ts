/** An error whose words are meant for the model: it is told them as they are, without an error's name before them. */
export function forModel(message: string, cause?: unknown): Error {
  const error = new Error(message, cause === undefined ? undefined : { cause });
  error.name = '';
  return error;
}
