import { createRequire } from 'node:module'
import { z } from 'zod'

/** The version of this program, as its package says. */
export const VERSION = z
  .object({ version: z.string() })
  .parse(createRequire(import.meta.url)('#package')).version
