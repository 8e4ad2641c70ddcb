import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ended } from '../../processes/piped-process.ts'
import type { Quarantine } from './quarantine.ts'
import { type RepairFinding, gitOn, repairable, type RepairContext } from './repair-context.ts'

/** Packs whose index is missing or wrong, or that are damaged themselves. */
export async function findBrokenPacks(patient: RepairContext): Promise<RepairFinding[]> {
  const folder = join(patient.gitDir, 'objects', 'pack')
  const names = await readdir(folder)
  const findings: RepairFinding[] = []
  for (const name of names.filter((each) => each.endsWith('.pack'))) {
    const base = join(folder, name.slice(0, -'.pack'.length))
    if (await isWhole(patient, base)) continue
    const files = names.filter((each) => each.startsWith(name.slice(0, -'pack'.length)))
    const paths = files.map((each) => join(folder, each))
    const remedy =
      'indexed anew where the pack is whole, otherwise taken apart for what can be read'
    const facts = { what: `${name} or its index is damaged`, remedy }
    findings.push(
      await repairable(patient, facts, (aside) => mend(patient, { base, paths, aside })),
    )
  }
  return findings
}

async function isWhole(patient: RepairContext, base: string): Promise<boolean> {
  return (await gitOn(patient, 'verify-pack', `${base}.idx`)).isDone
}

/** Whether a process has ended, or closed its input, before it had read all of it. */
function isUnread(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}

interface BrokenPack {
  readonly base: string
  readonly paths: readonly string[]
  readonly aside: Quarantine
}

async function mend(patient: RepairContext, { base, paths, aside }: BrokenPack): Promise<void> {
  for (const path of paths.filter((each) => !each.endsWith('.pack'))) await aside.move(path)
  if ((await gitOn(patient, 'index-pack', `${base}.pack`)).isDone) return
  const pack = await aside.move(`${base}.pack`)
  const child = patient.git.start(patient.gitDir, ['unpack-objects', '-r', '-q'])
  const end = ended(child)
  child.stdout.resume()
  child.stderr.resume()
  // Git may stop reading at the damage: what is missing then is found by looking for it.
  await pipeline(createReadStream(pack), child.stdin).catch((error: unknown) => {
    if (!isUnread(error)) throw error
  })
  await end
}
