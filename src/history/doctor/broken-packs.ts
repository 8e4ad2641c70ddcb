import { createReadStream } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ended } from '../../processes/piped-process.ts'
import type { Quarantine } from './quarantine.ts'
import { type RepairFinding, gitOn, repairable, type RepairContext } from './repair-context.ts'

/** Finds packs that are damaged, and packs whose index is missing or wrong. */
export async function findBrokenPacks(context: RepairContext): Promise<RepairFinding[]> {
  const folder = join(context.gitDir, 'objects', 'pack')
  const names = await readdir(folder)
  const findings: RepairFinding[] = []
  for (const name of names.filter((each) => each.endsWith('.pack'))) {
    const base = join(folder, name.slice(0, -'.pack'.length))
    if (await isWhole(context, base)) continue
    const files = names.filter((each) => each.startsWith(name.slice(0, -'pack'.length)))
    const paths = files.map((each) => join(folder, each))
    const remedy =
      'indexed again where the pack is whole, otherwise taken apart for what can be read'
    const facts = { what: `${name} or its index is damaged`, remedy }
    findings.push(
      await repairable(context, facts, (quarantine) =>
        repairPack(context, { base, paths, quarantine }),
      ),
    )
  }
  return findings
}

async function isWhole(context: RepairContext, base: string): Promise<boolean> {
  return (await gitOn(context, 'verify-pack', `${base}.idx`)).isDone
}

/** Whether a process ended, or closed its input, before it had read everything. */
function isUnread(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return error.code === 'EPIPE' || error.code === 'ERR_STREAM_PREMATURE_CLOSE'
}

interface BrokenPack {
  readonly base: string
  readonly paths: readonly string[]
  readonly quarantine: Quarantine
}

async function repairPack(
  context: RepairContext,
  { base, paths, quarantine }: BrokenPack,
): Promise<void> {
  for (const path of paths.filter((each) => !each.endsWith('.pack'))) await quarantine.move(path)
  if ((await gitOn(context, 'index-pack', `${base}.pack`)).isDone) return
  const pack = await quarantine.move(`${base}.pack`)
  const child = context.git.start(context.gitDir, ['unpack-objects', '-r', '-q'])
  const end = ended(child)
  child.stdout.resume()
  child.stderr.resume()
  // Git may stop reading at the damage. The check for missing objects finds the lost ones.
  await pipeline(createReadStream(pack), child.stdin).catch((error: unknown) => {
    if (!isUnread(error)) throw error
  })
  await end
}
