/** A part of a configuration as text, wherever in the document it is. */
export function written(part: unknown): string {
  return JSON.stringify(part, (key, value: unknown) => (key === 'at' ? undefined : value)) ?? ''
}
