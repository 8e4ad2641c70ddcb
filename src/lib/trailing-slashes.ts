/** Removes the slashes at the end of a path or an address, in linear time. */
export function withoutTrailingSlashes(text: string): string {
  return text.endsWith('/') ? text.replace(/(?<!\/)\/+$/, '') : text
}
