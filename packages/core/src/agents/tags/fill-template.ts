/**
 * Returns the template with `{name}` replaced by the value of that name. Other braces stay, and values are not
 * expanded.
 *
 * @example fillTemplate('It failed: {error_message}', { error_message: 'no JSON' }); // 'It failed: no JSON'
 */
export function fillTemplate(template: string, values: Readonly<Record<string, string>>): string {
  // a function, because $& and the like have a meaning in a text
  return template.replaceAll(/\{([A-Za-z_]\w*)\}/g, (whole, name: string) =>
    Object.hasOwn(values, name) ? values[name]! : whole,
  );
}
