import { stat } from 'node:fs/promises'

/** The code of a failed system call, such as `ENOENT`, or null for any other error. */
export function fsErrorCode(error: unknown): string | null {
  if (!(error instanceof Error) || !('code' in error)) return null
  return typeof error.code === 'string' ? error.code : null
}

/** Names the file in a failed system call that names none, as reading a folder does. */
export async function atPath<Value>(path: string, pending: Promise<Value>): Promise<Value> {
  try {
    return await pending
  } catch (error) {
    if (fsErrorCode(error) === null || 'path' in Object(error)) throw error
    throw Object.assign(Object(error), { path })
  }
}

/** Maps the absence of a file to null; every other failure is thrown. */
export async function orNullWhenAbsent<Value>(pending: Promise<Value>): Promise<Value | null> {
  try {
    return await pending
  } catch (error) {
    const code = fsErrorCode(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    throw error
  }
}

/** Whether a file or folder is there; a link counts as what it names. */
export async function isThere(path: string): Promise<boolean> {
  return (await orNullWhenAbsent(stat(path))) !== null
}
