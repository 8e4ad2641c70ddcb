/** A path or an address without the slashes at its end, which any number of slashes elsewhere do not make slow. */
export function withoutTrailingSlashes(text: string): string {
  return text.endsWith('/') ? text.replace(/(?<!\/)\/+$/, '') : text
}
