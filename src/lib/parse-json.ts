/** The value of a JSON text; where it is none, what `otherwise` returns or throws. */
export function parseJsonOr(text: string, otherwise: (error: SyntaxError) => unknown): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    if (error instanceof SyntaxError) return otherwise(error)
    throw error
  }
}

/** The value of a JSON text, and null where it is none. */
export function parseJsonOrNull(text: string): unknown {
  return parseJsonOr(text, () => null)
}
