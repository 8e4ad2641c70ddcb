/**
 * Headers of every answer that has none of its own kind: a browser takes it for what it says it is,
 * and runs, loads and styles nothing by it, not even a document with a style sheet.
 */
export const INERT = {
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
} as const

/** The headers of an answer that is inert, or has rules of its own. */
export type InertHeaders = Readonly<Record<keyof typeof INERT, string> & Record<string, string>>
