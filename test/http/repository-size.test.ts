// @module-tag long
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { documentWith } from '../support/documents/documents.ts'
import { git, gitBytes } from '../support/git/git.ts'
import { startService, type TestService } from '../support/service/service.ts'
import { until } from '../support/programs/until.ts'

const Storage = z.object({
  repository: z
    .object({
      looseObjects: z.number(),
      looseBytes: z.number(),
      packs: z.number(),
      packBytes: z.number(),
      packedAt: z.number().nullable(),
      problem: z.string().nullable(),
    })
    .nullable(),
})

async function storageOf(service: TestService) {
  const body: unknown = await (await service.fetch('/health')).json()
  return Storage.parse(body).repository
}

/** The samples about the repository, by name without what all have in common. */
async function metricsOf(service: TestService): Promise<Record<string, number>> {
  const text = await (await service.fetch('/metrics')).text()
  const samples = text.matchAll(/^cairn_repository_(\w+) (\S+)$/gm)
  return Object.fromEntries([...samples].map(([, name = '', value]) => [name, Number(value)]))
}

/** The statistics of git itself about a repository: a number for each word. */
function countedByGit({ repository }: TestService): Record<string, number> {
  const lines = git(repository, 'count-objects', '-v').trim().split('\n')
  return Object.fromEntries(
    lines.map((line) => line.split(': ')).map(([word = '', count]) => [word, Number(count)]),
  )
}

function bytesBelow(folder: string): number {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  return files.reduce((sum, { parentPath, name }) => sum + statSync(join(parentPath, name)).size, 0)
}

/** Makes native commits, none of which is packed. */
function commitMany({ repository }: TestService, count: number): void {
  const commits = Array.from({ length: count }, (_, n) => {
    const document = documentWith(`pipeline-${n}`)
    const parent = n === 0 ? 'from refs/heads/main^0\n' : ''
    return `commit refs/heads/main\ncommitter Gil <gil@example.org> ${1_700_000_000 + n} +0000\ndata 0\n${parent}M 100644 inline config.xml\ndata ${document.length}\n${document}\n`
  })
  const unpacked = ['-c', 'fastimport.unpackLimit=100000', 'fast-import', '--quiet']
  gitBytes(repository, unpacked, { input: commits.join('') })
}

describe('the size of the repository', () => {
  it('is the same in health and metrics, and what git counts, once the service has packed', async () => {
    const service = await startService(['--poll-interval', '1s'])

    commitMany(service, 400)
    await until(async () => ((await storageOf(service))?.packedAt ?? null) !== null, 60_000)

    const stored = await storageOf(service)
    const { count, packs, ...counted } = countedByGit(service)
    const objects = join(service.repository, '.git/objects')
    expect(counted['in-pack']).toBeGreaterThan(1_200)
    expect(stored).toMatchObject({ looseObjects: count, packs, problem: null })
    expect(stored?.packBytes).toBe(bytesBelow(join(objects, 'pack')))
    expect(await metricsOf(service)).toEqual({
      bytes: (stored?.packBytes ?? NaN) + (stored?.looseBytes ?? NaN),
      loose_objects: count,
      packs,
      packing_failed: 0,
      packed_time_seconds: (stored?.packedAt ?? NaN) / 1_000,
    })
  })

  it('is measured anew soon after each revision', { timeout: 120_000 }, async () => {
    const service = await startService()
    for (const name of ['first', 'second']) {
      await service.fetch('/api/admin/config.xml', {
        method: 'PUT',
        headers: { 'if-match': '*' },
        body: documentWith(name),
      })
      const { count } = countedByGit(service)

      await until(async () => (await storageOf(service))?.looseObjects === count, 60_000)
      expect(await metricsOf(service)).toMatchObject({ loose_objects: count, packs: 0 })
    }
  })

  it('says that packing fails, and why', async () => {
    const service = await startService(['--poll-interval', '1s'])
    git(service.repository, 'config', 'pack.window', 'many')

    commitMany(service, 400)
    await until(async () => ((await storageOf(service))?.problem ?? null) !== null, 60_000)

    expect((await storageOf(service))?.problem).toContain('pack.window')
    expect(await metricsOf(service)).toMatchObject({ packing_failed: 1, packs: 0 })
  })
})
