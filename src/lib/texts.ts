/** Removes the slashes at the end of a path or an address, in linear time. */
export function withoutTrailingSlashes(text: string): string {
  return text.endsWith('/') ? text.replace(/(?<!\/)\/+$/, '') : text
}

/** A text as it begins a line. */
export function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
