import { join } from 'node:path'
import { unavailable } from '../core/errors.ts'
import { OBJECT_FORMATS, type ObjectFormatName } from '../core/object-name.ts'
import { orNullWhenAbsent } from '../storage/fs-error.ts'
import { findConfigValue } from './git-config.ts'
import type { GitStore } from './git-store.ts'

/** The hash by which a repository names its objects: one for all of them, for ever. */
export interface ObjectFormat {
  /** As git calls it, and node:crypto too. */
  readonly name: ObjectFormatName
  /** The number of bytes of a name; as text it has twice as many characters. */
  readonly bytes: number
}

export const SHA1: ObjectFormat = { name: 'sha1', bytes: 20 }
export const SHA256: ObjectFormat = { name: 'sha256', bytes: 32 }

/** The setting that names it; a repository without the setting has SHA-1. */
const SETTING = 'extensions.objectFormat'

/** The format with this name; null for an unknown one. */
export function findObjectFormat(name: string): ObjectFormat | null {
  return [SHA1, SHA256].find((format) => format.name === name.toLowerCase()) ?? null
}

export function objectFormatOf(name: ObjectFormatName): ObjectFormat {
  return name === SHA256.name ? SHA256 : SHA1
}

/** The format of a repository in which an object has that name. */
export function formatOfName(oid: string): ObjectFormat {
  return oid.length === 2 * SHA256.bytes ? SHA256 : SHA1
}

/** @throws {ServiceError} `unavailable` for a format that this program does not know. */
export async function readObjectFormat({ fs, gitDir }: GitStore): Promise<ObjectFormat> {
  const bytes = await orNullWhenAbsent(fs.readFile(join(gitDir, 'config')))
  const name = findConfigValue(Buffer.from(bytes ?? []).toString('utf8'), SETTING) ?? SHA1.name
  const format = findObjectFormat(name)
  if (format !== null) return format
  const known = OBJECT_FORMATS.join(' or ')
  throw unavailable(
    `${gitDir} has the ${SETTING} ${name}: only repositories with ${known} can be served`,
  )
}
