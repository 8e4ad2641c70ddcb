// @module-tag long
import { mkdirSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { git, gitLine } from '../../support/git/git.ts'
import { repositoryUrl, runGit } from '../../support/git/git-client.ts'
import { SAMPLE } from '../../../src/api/definition/sample.ts'
import { PERMISSIONS } from '../../support/service/permissions/permission-table.ts'
import { saved } from '../../support/service/saved-digest.ts'
import { save } from '../../support/service/saving.ts'
import { startService, type TestService } from '../../support/service/service.ts'
import { mayMount, SmallDisk } from '../../support/disk/small-disk.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'
import { until } from '../../support/programs/until.ts'

/** Pages that are looked at after each fault, found by their links. */
const PAGES = 40
const FLAGS = ['--poll-interval', '200ms', '--material-interval', '1s']

/** Every address that is read, as in its example, and with what is really there. */
function addresses(commit: string, digest: string): string[] {
  const real = [
    [SAMPLE.commit, commit],
    [SAMPLE.before.commit, commit],
    [SAMPLE.digest, digest],
    [SAMPLE.pipeline, 'alpha'],
    [SAMPLE.stage, 'test'],
  ] as const
  return PERMISSIONS.filter(({ call }) => call.startsWith('GET ')).flatMap(({ target }) => [
    target,
    real.reduce((text, [sample, own]) => text.replaceAll(sample, own), target),
  ])
}

/** The texts of all answers, by their address. */
async function walk(service: TestService, fixed: readonly string[]): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  const read = async (path: string) => {
    const signal = AbortSignal.timeout(10_000)
    const answer = await service.fetch(path, { headers: { accept: 'text/html' }, signal })
    const headers = [...answer.headers].map((each) => each.join(': '))
    const isEndless = answer.headers.get('content-type')?.startsWith('text/event-stream') ?? false
    if (isEndless) await answer.body?.cancel()
    texts.set(
      path,
      `${answer.status} ${headers.join('\n')}\n${isEndless ? '' : await answer.text()}`,
    )
  }
  for (const path of fixed.filter((each) => !each.startsWith('/api/config/watch'))) await read(path)
  const waiting = ['/', '/config', '/agents', '/pipelines', '/audit']
  for (let left = PAGES, path = waiting.shift(); path && left > 0; path = waiting.shift()) {
    if (texts.has(path)) continue
    left -= 1
    await read(path)
    const links = (texts.get(path) ?? '').matchAll(/href="(\/[^"#]*)"/g)
    waiting.push(...[...links].map(([, link = '']) => link.replaceAll('&amp;', '&')))
  }
  return texts
}

/** Answers to writes that give a reason, also over git. */
async function write(service: TestService): Promise<string[]> {
  const answers = await Promise.all([
    save(service, documentWith('alpha', 'beta')),
    service.fetch('/api/pipelines/alpha/schedule', { method: 'POST' }),
    service.fetch('/api/admin/config.xml', {
      method: 'POST',
      body: new URLSearchParams({ md5: 'x', xmlFile: 'y' }),
    }),
  ])
  const url = repositoryUrl(service.url)
  const clone = tempDir()
  const asked = [
    await runGit(service.folder, ['clone', '--quiet', url, clone]),
    await runGit(clone, ['init', '--quiet']),
    await runGit(clone, ['fetch', '--quiet', url]),
    await runGit(join(service.folder, 'clone'), ['push', url, 'HEAD~1:refs/heads/other']),
  ]
  const texts = await Promise.all(answers.map((answer) => answer.text()))
  return [...texts, ...asked.map(({ stderr }) => stderr.replaceAll(clone, ''))]
}

/** The place of a text where a path stands. */
function around(text: string, hidden: string): string {
  const at = text.indexOf(hidden)
  return text.slice(Math.max(0, at - 200), at + 200)
}

async function expectNoPath(service: TestService, hidden: string): Promise<void> {
  const commit = gitLine(join(service.folder, 'clone'), 'rev-parse', 'HEAD~1')
  const revisions = await (await service.fetch('/api/config/revisions')).text()
  const digest = /"md5":"([0-9a-f]{32})"/.exec(revisions)?.[1] ?? ''
  const texts = await walk(service, addresses(commit, digest))
  const written = await write(service)
  for (const [n, text] of written.entries()) texts.set(`write ${n}`, text)
  const shown = [...texts].filter(([, text]) => text.includes(hidden))
  expect(shown.map(([path, text]) => [path, around(text, hidden)])).toEqual([])
}

async function health(service: TestService): Promise<string> {
  return (await service.fetch('/health')).text()
}

interface Fault {
  readonly name: string
  /** Brings it about. */
  readonly cause: (service: TestService) => void
  /** The problem that `/health` reports. */
  readonly told: RegExp | null
}

function damageObjects(service: TestService, name: string): void {
  const oid = gitLine(service.repository, 'rev-parse', name)
  const file = join(service.repository, '.git/objects', oid.slice(0, 2), oid.slice(2))
  rmSync(file, { force: true })
  writeFileSync(file, 'damaged')
}

function replaceByFile(...path: readonly string[]): void {
  rmSync(join(...path), { recursive: true, force: true })
  writeFileSync(join(...path), 'a file')
}

const FAULTS: readonly Fault[] = [
  {
    name: 'the repository was moved away',
    cause: ({ repository }) => renameSync(join(repository, '.git'), join(repository, 'away')),
    told: /The folder of the repository is missing/,
  },
  {
    name: 'the live file is a folder',
    cause: ({ repository }) => {
      rmSync(join(repository, 'config.xml'))
      mkdirSync(join(repository, 'config.xml'))
    },
    told: /it is not a file/i,
  },
  {
    name: 'the branch is damaged',
    cause: ({ repository }) => writeFileSync(join(repository, '.git/refs/heads/main'), 'damaged'),
    told: /refs\/heads\/main is damaged/,
  },
  {
    name: 'old objects are damaged',
    cause: (service) => {
      damageObjects(service, 'HEAD~1:config.xml')
      damageObjects(service, 'HEAD~1^{tree}')
    },
    told: null,
  },
  {
    name: 'the newest objects are damaged',
    cause: (service) => damageObjects(service, 'HEAD:config.xml'),
    told: null,
  },
  {
    name: 'the folder of materials is a file',
    cause: ({ folder }) => replaceByFile(folder, 'state', 'materials'),
    told: /material of the pipeline alpha cannot be read/,
  },
  {
    name: 'the mirror of a material is damaged',
    cause: ({ folder }) => {
      const materials = join(folder, 'state', 'materials')
      for (const name of readdirSync(materials)) {
        git(join(materials, name), 'init', '--quiet', '--bare', '.')
        writeFileSync(join(materials, name, 'config'), 'damaged [')
      }
    },
    told: /bad config line 1/,
  },
  {
    name: 'the folder of artifacts is a file',
    cause: ({ folder }) => replaceByFile(folder, 'state', 'artifacts'),
    told: null,
  },
  {
    name: 'the folder of waiting audit entries is a file',
    cause: ({ folder }) => replaceByFile(folder, 'state', 'audit'),
    told: null,
  },
]

async function aService(flags: readonly string[] = []): Promise<TestService> {
  const service = await startService([...FLAGS, ...flags])
  await saved(service, 'alpha')
  const text = documentWith('alpha').replace('https://example.org', 'https://127.0.0.1:1')
  expect((await save(service, text)).status).toBe(200)
  git(service.folder, 'clone', '--quiet', '--no-local', service.repository, 'clone')
  return service
}

describe('no answer names a path of this machine', () => {
  it.each(FAULTS)('when $name', { timeout: 120_000 }, async ({ cause, told }) => {
    const service = await aService()
    await until(async () => (await health(service)).includes('cannot be read'))
    cause(service)
    if (told !== null) await until(async () => told.test(await health(service)))

    await expectNoPath(service, service.folder)
    expect(await health(service)).not.toContain(service.folder)
  })

  it.skipIf(!mayMount())('when the disk is full (needs mount)', { timeout: 120_000 }, async () => {
    using disk = new SmallDisk(24)
    const service = await aService(['--state-dir', join(disk.path, 'state')])
    disk.fill(0)

    await expectNoPath(service, disk.path)
    expect(readdirSync(disk.path)).toContain('filler')
    disk.empty()
    await service.close()
  })
})
