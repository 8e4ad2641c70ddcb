import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { z } from 'zod'
import { builtFile } from '../lib/built-file.ts'

/** The version of this program, as its package says. */
export const VERSION = z
  .object({ version: z.string() })
  .parse(createRequire(import.meta.url)('#package')).version

/** Identifies the code of this program; null where it runs from its sources, which may be others at any time. */
export const PROGRAM = import.meta.url.endsWith('.ts')
  ? null
  : `${readFileSync(builtFile('.built'), 'utf8')} ${process.version}`
