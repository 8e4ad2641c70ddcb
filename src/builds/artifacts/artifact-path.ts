import { malformedRequest } from '../../core/errors.ts'

/** The paths of the agent's and the server's records of a job among its artifacts. */
export const CONSOLE_PATH = 'cruise-output/console.log'

const MAX_PATH_BYTES = 4_096
/** The limit of bytes of a name in the file systems of agents and servers. */
const MAX_NAME_BYTES = 255
/** The limit of characters of a path in a message. */
const SHOWN = 200

/**
 * The segments of a path below a job's folder; none for the folder itself. A backslash is part of a
 * name, as it is for the file systems of agents.
 *
 * @throws {ServiceError} `malformed-request` for a path that could leave the folder.
 */
export function artifactSegments(path: string): readonly string[] {
  if (path === '') return []
  const segments = path.split('/')
  if (path.length <= MAX_PATH_BYTES && segments.every(isPlain)) return segments
  const shown = JSON.stringify(path.slice(0, SHOWN))
  throw malformedRequest(
    `The path ${shown} is not that of a file below the folder of the job`,
    'path',
  )
}

/**
 * Encodes a name from the configuration, which may have any characters, as a name of one folder.
 */
export function folderName(name: string): string {
  if (/^[\w-][\w.-]{0,254}$/.test(name)) return name
  return `%${Buffer.from(name).toString('hex').slice(0, 250)}`
}

function isPlain(segment: string): boolean {
  if (segment === '' || segment === '.' || segment === '..') return false
  return Buffer.byteLength(segment) <= MAX_NAME_BYTES && !segment.includes('\0')
}
