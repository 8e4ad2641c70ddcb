import { cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { HealthBody } from '../../src/wire/health-body.ts'
import { tempDir } from '../support/disk/temp-folder.ts'
import { commitFile, git, gitBytes, gitLine } from '../support/git/git.ts'
import { rule, TWO_ADMINISTRATORS, TWO_EYES } from '../support/service/ruled-service.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'
import { casesOf } from '../support/programs/all-cases.ts'

const FILE = 'config.xml'
const RULES = 'cairn-rules.yaml'
const REFUSED = 'refs/cairn/refused'
const HELD = TWO_ADMINISTRATORS.replace('m1.git', 'x.git')
const FREE = TWO_ADMINISTRATORS.replace('o1.git', 'y.git')
const QUICK = ['--poll-interval', '100ms']
/** Every two hours of a day, or every ten minutes. */
const EDITS = casesOf({ all: 144, mostly: 12 })

interface SeenProposal {
  readonly number: number
  readonly title: string
  readonly state: string
  readonly version: number
}

async function proposals(service: CalledService): Promise<readonly SeenProposal[]> {
  const answer = await service.fetch('/api/proposals', { as: 'root:p' })
  return JSON.parse(await answer.text())
}

async function problems(service: CalledService): Promise<readonly string[]> {
  const answer = await service.fetch('/health', { as: 'root:p' })
  const { problems: all } = HealthBody.parse(await answer.json())
  return all.map(({ subject }) => subject).filter((each) => !each.includes('nobody here acts on'))
}

async function act(service: CalledService, number: number, verb: string): Promise<number> {
  const headers = { 'content-type': 'application/json' }
  const init = { method: 'POST', headers, body: '{}', as: 'root:p' }
  return (await service.fetch(`/api/proposals/${number}/${verb}`, init)).status
}

async function current(service: CalledService): Promise<string> {
  return (await service.fetch('/api/admin/config.xml', { as: 'root:p' })).text()
}

/** Writes the document and commits it, as the machine's owner does. */
function commit({ repository }: CalledService, document: string, message = 'By hand'): string {
  writeFileSync(join(repository, FILE), document)
  return commitFile(repository, { name: FILE, message })
}

const headOf = ({ repository }: CalledService) => gitLine(repository, 'rev-parse', 'HEAD')
const liveOf = ({ repository }: CalledService) => readFileSync(join(repository, FILE), 'utf8')
const statusOf = ({ repository }: CalledService) => git(repository, 'status', '--porcelain')
const refusedIn = ({ repository }: CalledService) =>
  gitLine(repository, 'for-each-ref', '--format=%(objectname)', REFUSED)

/** The branch, the file and what git says of both, as they were before. */
async function expectAsBefore(service: CalledService, head: string, document: string) {
  await expect.poll(() => headOf(service)).toBe(head)
  await expect.poll(() => liveOf(service)).toBe(document)
  await expect.poll(() => statusOf(service)).toBe('')
  expect(await current(service)).toBe(document)
}

async function opened(rules = TWO_EYES, folder = tempDir()): Promise<CalledService> {
  return rule(await openService(QUICK, folder), rules)
}

/** Opens the service again after something was done while none ran. */
async function openedAfter(work: (service: CalledService) => void): Promise<CalledService> {
  const folder = tempDir()
  const service = await opened(TWO_EYES, folder)
  await service.close()
  work(service)
  return openService(QUICK, folder)
}

/** Makes the stored index of revisions that of another version. */
function storeAsAnotherVersion({ repository }: CalledService): void {
  const file = join(repository, '.git', 'cairn', 'revisions')
  const [header = '', ...lines] = readFileSync(file, 'utf8').split('\n')
  const origin = header.slice(header.indexOf(' ') + 1).replace('cairn revisions ', '$&0.')
  const checksum = crc32(origin).toString(16).padStart(8, '0')
  writeFileSync(file, [`${checksum} ${origin}`, ...lines].join('\n'))
}

describe('a commit of git that rules do not let pass', () => {
  it('is taken back from the branch and becomes a proposal, which an approval merges', async () => {
    const service = await opened()
    const head = headOf(service)
    const made = commit(service, HELD)

    await expectAsBefore(service, head, TWO_ADMINISTRATORS)
    expect(refusedIn(service)).toBe(made)
    await expect
      .poll(() => proposals(service))
      .toMatchObject([
        { number: 1, state: 'open', title: `Commit ${made.slice(0, 10)} by Gil: By hand` },
      ])
    await expect
      .poll(() => problems(service))
      .toEqual([expect.stringMatching(/was taken back from the branch: The rule two-eyes/)])

    expect(await act(service, 1, 'approve')).toBe(200)
    expect(await act(service, 1, 'merge')).toBe(200)
    expect(await current(service)).toBe(HELD)
    await expect.poll(() => problems(service)).toEqual([])
    expect(refusedIn(service)).toBe('')
    expect(statusOf(service)).toBe('')
    const log = await service.fetch('/api/audit?action=propose', { as: 'root:p' })
    expect(await log.json()).toMatchObject({
      entries: [{ user: 'Filesystem', target: 'proposal 1', door: 'native-commit' }],
    })
    const page = await service.fetch('/audit?action=propose', { as: 'root:p' })
    expect(await page.text()).toContain('<a href="/proposals/1">a change (proposal 1)</a>')
  })

  it(
    'is the next version of the one proposal each time, and lets go of all when that is closed',
    { tags: ['long'] },
    async () => {
      const service = await opened()
      const head = headOf(service)
      for (const name of ['a', 'b', 'c']) {
        commit(service, TWO_ADMINISTRATORS.replace('m1.git', `${name}.git`))
        await expectAsBefore(service, head, TWO_ADMINISTRATORS)
      }
      await expect
        .poll(async () => (await proposals(service)).map(({ version }) => version))
        .toEqual([3])

      expect(await act(service, 1, 'close')).toBe(200)
      await expect.poll(() => refusedIn(service)).toBe('')
      await expect.poll(() => problems(service)).toEqual([])
      expect(await proposals(service)).toHaveLength(1)
      const log = await service.fetch('/api/audit?action=update-proposal', { as: 'root:p' })
      const update = { user: 'Filesystem', target: 'proposal 1', door: 'native-commit' }
      expect(await log.json()).toMatchObject({ entries: [update, update] })
    },
  )

  it('takes what it did to other files back with it, and the rules among them', async () => {
    const rules = `${TWO_EYES}  - name: own\n    match: { entity: rules }\n    effect: deny\n`
    const service = await opened(rules)
    const head = headOf(service)
    writeFileSync(join(service.repository, 'notes.txt'), 'mine')
    writeFileSync(join(service.repository, 'kept.txt'), 'not committed')
    git(service.repository, 'add', 'notes.txt')
    rmSync(join(service.repository, RULES))
    git(service.repository, 'commit', '--quiet', '-am', 'No rules')
    const free = readFileSync(join(service.repository, FILE), 'utf8')

    await expect.poll(() => headOf(service)).toBe(head)
    await expect.poll(() => statusOf(service)).toBe('?? kept.txt\n')
    expect(free).toBe(TWO_ADMINISTRATORS)
    expect(readFileSync(join(service.repository, RULES), 'utf8')).toBe(rules)
    const [ref = ''] = gitLine(
      service.repository,
      'for-each-ref',
      '--format=%(refname)',
      REFUSED,
    ).split('\n')
    await expect.poll(() => problems(service)).toContainEqual(expect.stringContaining(ref))
    git(service.repository, 'update-ref', '-d', ref)
    await expect.poll(() => problems(service)).toEqual([])
  })

  it('is found among several, below one that mends it, and in a merge', async () => {
    const service = await opened()
    const head = headOf(service)
    const { repository } = service
    git(repository, 'checkout', '--quiet', '-b', 'side')
    const side = { ...service, repository }
    writeFileSync(join(repository, FILE), HELD)
    git(repository, 'commit', '--quiet', '-am', 'Held')
    writeFileSync(join(repository, FILE), FREE)
    git(repository, 'commit', '--quiet', '-am', 'Free')
    await expect.poll(() => headOf(side)).toBe(head)
    expect(await current(service)).toBe(TWO_ADMINISTRATORS)
  })

  it('is not mended by a reset, an amend, or a forged trailer', { tags: ['long'] }, async () => {
    const service = await opened()
    const first = headOf(service)
    const override = { 'x-cairn-override': 'two-eyes', 'x-cairn-message': 'outage' }
    const headers = { 'if-match': '*', ...override }
    const put = { method: 'PUT', headers, body: HELD, as: 'root:p' }
    expect((await service.fetch('/api/admin/config.xml', put)).status).toBe(200)
    const head = headOf(service)

    git(service.repository, 'reset', '--quiet', '--hard', first)
    await expectAsBefore(service, head, HELD)
    expect(await problems(service)).toContainEqual(
      expect.stringMatching(/was put back from commit .* The rule two-eyes/),
    )

    writeFileSync(join(service.repository, FILE), HELD.replace('x.git', 'v.git'))
    git(service.repository, 'commit', '--quiet', '--all', '--amend', '--no-edit')
    await expectAsBefore(service, head, HELD)

    const message = gitLine(service.repository, 'log', '-1', '--format=%B')
    const forged = TWO_ADMINISTRATORS
    writeFileSync(join(service.repository, FILE), forged)
    const identity = { GIT_COMMITTER_NAME: 'Cairn', GIT_COMMITTER_EMAIL: 'cairn@localhost' }
    gitBytes(
      service.repository,
      ['commit', '-qam', `${message}\nApproved-by: root d1\nProposal: 1`],
      {
        env: identity,
      },
    )
    await expectAsBefore(service, head, HELD)
  })

  it('passes, unnoticed, where rules allow it', async () => {
    const service = await opened()
    const made = commit(service, FREE)

    await expect.poll(() => current(service)).toBe(FREE)
    const next = commit(service, FREE.replace('y.git', 'z.git'))
    await expect.poll(() => current(service)).toContain('z.git')
    expect(headOf(service)).toBe(next)
    expect(gitLine(service.repository, 'rev-parse', 'HEAD^')).toBe(made)
    expect([await proposals(service), await problems(service)]).toEqual([[], []])
  })

  it('is found by a start after it', { tags: ['long'] }, async () => {
    let head = ''
    const service = await openedAfter((before) => {
      head = headOf(before)
      commit(before, HELD)
    })

    await expectAsBefore(service, head, TWO_ADMINISTRATORS)
    await expect.poll(() => proposals(service)).toHaveLength(1)
  })

  it('is found by a start of another version after it', { tags: ['long'] }, async () => {
    let head = ''
    const service = await openedAfter((before) => {
      head = headOf(before)
      commit(before, HELD)
      storeAsAnotherVersion(before)
    })

    await expectAsBefore(service, head, TWO_ADMINISTRATORS)
    await expect.poll(() => proposals(service)).toHaveLength(1)
  })

  it('is taken back once where a crash came between the steps', { tags: ['long'] }, async () => {
    let [head, made] = ['', '']
    const kept = await openedAfter((before) => {
      head = headOf(before)
      made = commit(before, HELD)
      git(before.repository, 'update-ref', `${REFUSED}/${head}/${made}`, made)
    })
    await expectAsBefore(kept, head, TWO_ADMINISTRATORS)
    await expect.poll(() => proposals(kept)).toHaveLength(1)

    const moved = await openedAfter((before) => {
      head = headOf(before)
      made = commit(before, HELD)
      git(before.repository, 'update-ref', `${REFUSED}/${head}/${made}`, made)
      git(before.repository, 'reset', '--quiet', '--soft', head)
    })
    await expectAsBefore(moved, head, TWO_ADMINISTRATORS)
    await expect.poll(() => proposals(moved)).toMatchObject([{ number: 1 }])
  })

  it('is no commit of the service itself, whatever a crash has lost of the index', async () => {
    const folder = tempDir()
    const service = await opened(TWO_EYES, folder)
    const index = join(service.repository, '.git', 'cairn', 'revisions')
    const number = await proposeHeld(service)
    cpSync(index, join(folder, 'older'))
    expect(await act(service, number, 'approve')).toBe(200)
    expect(await act(service, number, 'merge')).toBe(200)
    await service.close()
    cpSync(join(folder, 'older'), index)
    const again = await openService(QUICK, folder)

    expect(await current(again)).toBe(HELD)
    expect(refusedIn(again)).toBe('')
  })
})

async function proposeHeld(service: CalledService): Promise<number> {
  const answer = await service.fetch('/api/proposals', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ title: 'A change', document: HELD }),
  })
  return JSON.parse(await answer.text()).number
}

describe('an edit of the live file that rules do not let pass', () => {
  it('stays, as the one proposal of its door, also over a start', { tags: ['long'] }, async () => {
    const folder = tempDir()
    const service = await opened(TWO_EYES, folder)
    const write = (name: string) => {
      const text = TWO_ADMINISTRATORS.replace('m1.git', `${name}.git`)
      writeFileSync(join(service.repository, FILE), text)
    }
    const versions = async (of: CalledService) =>
      (await proposals(of)).map(({ version }) => version)
    write('a')
    await expect.poll(() => versions(service)).toEqual([1])
    write('b')
    await expect.poll(() => versions(service)).toEqual([2])
    expect(statusOf(service)).toBe(` M ${FILE}\n`)
    await service.close()

    const again = await openService(QUICK, folder)
    await expect
      .poll(() => problems(again))
      .toContainEqual(expect.stringMatching(/is waiting as proposal 1/))
    expect(await versions(again)).toEqual([2])
    expect(liveOf(again)).toContain('b.git')

    expect(await act(again, 1, 'approve')).toBe(200)
    expect(await act(again, 1, 'merge')).toBe(200)
    await expect.poll(() => problems(again)).toEqual([])
    expect(await current(again)).toContain('b.git')
    expect(liveOf(again)).toContain('b.git')
    expect(await proposals(again)).toHaveLength(1)
  })

  it(
    'is not proposed again when its proposal is closed, and is named as long as it stays',
    { tags: ['long'] },
    async () => {
      const service = await opened()
      writeFileSync(join(service.repository, FILE), HELD)
      await expect.poll(() => proposals(service)).toHaveLength(1)
      expect(await act(service, 1, 'close')).toBe(200)
      await expect
        .poll(() => problems(service))
        .toEqual([expect.stringMatching(/The edit of the live file is not taken over/)])
      expect(await proposals(service)).toHaveLength(1)

      writeFileSync(join(service.repository, FILE), HELD.replace('x.git', 'v.git'))
      await expect.poll(() => proposals(service)).toHaveLength(2)
      writeFileSync(join(service.repository, FILE), TWO_ADMINISTRATORS)
      await expect
        .poll(() => problems(service))
        .toEqual([expect.stringMatching(/is waiting as proposal 2/)])
      expect((await save(service, FREE, 'root:p')).status).toBe(200)
    },
  )

  it(
    'closes its proposal when it passes later, as at the end of a window',
    { tags: ['long'] },
    async () => {
      let now = Date.parse('2026-12-24T12:00:00Z')
      const window = 'window: { from: 2026-12-20, to: 2027-01-04, zone: UTC }'
      const rules = `version: 1\nrules:\n  - name: frozen\n    match: { entity: pipeline/m1 }\n    effect: deny\n    ${window}\n`
      const service = await rule(await openService(QUICK, tempDir(), { clock: () => now }), rules)
      writeFileSync(join(service.repository, FILE), HELD)
      await expect.poll(() => proposals(service)).toHaveLength(1)
      now = Date.parse('2027-01-06T12:00:00Z')

      await expect.poll(() => current(service)).toBe(HELD)
      await expect.poll(() => proposals(service)).toMatchObject([{ state: 'closed' }])
      await expect.poll(() => problems(service)).toEqual([])
    },
  )
})

describe.each(['live file', 'commits'])('edits of a day: %s', { tags: ['long'] }, (door) => {
  it('are one proposal', { timeout: casesOf({ all: 600_000, mostly: 120_000 }) }, async () => {
    const service = await opened()
    const head = headOf(service)
    for (let n = 1; n <= EDITS; n += 1) {
      const text = TWO_ADMINISTRATORS.replace('m1.git', `n${n}.git`)
      if (door === 'commits') {
        commit(service, text)
        await expectAsBefore(service, head, TWO_ADMINISTRATORS)
        continue
      }
      writeFileSync(join(service.repository, FILE), text)
      await expect
        .poll(async () => JSON.stringify(await proposals(service)))
        .toContain(`"version":${n}`)
    }
    await expect
      .poll(async () => (await proposals(service)).map(({ version }) => version))
      .toEqual([EDITS])
  })
})
