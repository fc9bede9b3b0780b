/**
 * The template with `{name}` replaced by the value of that name. Every other brace stays as it is, and what a value
 * says is not read again.
 *
 * @example fillTemplate('It failed: {error_message}', { error_message: 'no JSON' }); // 'It failed: no JSON'
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  // a function, since in a text $& and the like would mean something
  return template.replaceAll(/\{([A-Za-z_]\w*)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? values[name]! : whole,
  );
}
