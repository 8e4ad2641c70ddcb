import { type ConfigReadingDeps, readDiff } from '../../configuration/read/config-reading.ts'
import type { ComparedRevisions } from '../code/comparison.ts'

/** The differences as a patch for `git apply`; empty when there are none. */
export async function readPatch(
  deps: ConfigReadingDeps,
  { before, after }: ComparedRevisions,
  fileName: string,
): Promise<Uint8Array<ArrayBuffer>> {
  const hunks = await readDiff(deps, { before, after })
  if (hunks.length === 0) return hunks
  const [old, now] = [quoted(`a/${fileName}`), quoted(`b/${fileName}`)]
  const head = `diff --git ${old} ${now}\n--- ${old}\n+++ ${now}\n`
  return Buffer.concat([Buffer.from(head), hunks])
}

/** A file name in git's notation for patches: quoted if it has special characters. */
function quoted(name: string): string {
  if (/^[\x21\x23-\x5b\x5d-\x7e]+$/.test(name)) return name
  const bytes = Array.from(Buffer.from(name), (byte) =>
    byte > 0x1f && byte < 0x7f && byte !== 0x22 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\${byte.toString(8).padStart(3, '0')}`,
  )
  return `"${bytes.join('')}"`
}
