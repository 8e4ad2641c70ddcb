import { createRequire } from 'node:module'

/** The version of this program, as its package says. */
export const VERSION: string = createRequire(import.meta.url)('#package').version
