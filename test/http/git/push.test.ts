import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents.ts'
import { Clone } from '../../support/git-client.ts'
import { git } from '../../support/git.ts'
import { save } from '../../support/saving.ts'
import { ADMIN_PASSWORD, startService, type TestService } from '../../support/service.ts'
import { until } from '../../support/until.ts'

const SECRET = 'hunter2-in-plain'

async function revisionsOf(service: TestService) {
  const revisions: unknown = await (await service.fetch('/api/config/revisions')).json()
  return Array.isArray(revisions) ? revisions : []
}

/** Everything that a push may have left behind in a repository. */
function stateOf({ repository }: TestService): string {
  const objects = git(repository, 'cat-file', '--batch-all-objects', '--batch-check')
  const left = readdirSync(join(repository, '.git/objects')).filter((name) =>
    name.startsWith('tmp'),
  )
  return [objects, left.join(), git(repository, 'for-each-ref'), liveFileOf(repository)].join('\n')
}

function liveFileOf(repository: string): string {
  return readFileSync(join(repository, 'config.xml'), 'utf8')
}

async function serviceAndClone(...flags: readonly string[]) {
  const service = await startService(flags)
  await save(service, documentWith('alpha'))
  return { service, clone: await Clone.of(service.url) }
}

describe('a push over HTTP', () => {
  it('is a revision by the author of the commit once git says so, and the live file follows', async () => {
    const { service, clone } = await serviceAndClone()
    const first = await clone.commit(documentWith('alpha', 'beta'))
    const second = await clone.commit(documentWith('alpha', 'gamma'))

    const { code } = await clone.push()

    expect(code).toBe(0)
    expect((await revisionsOf(service)).slice(0, 2)).toMatchObject([
      { commitSHA: second, username: 'Gil' },
      { commitSHA: first, username: 'Gil' },
    ])
    expect(liveFileOf(service.repository)).toBe(documentWith('alpha', 'gamma'))
    expect(git(service.repository, 'status', '--porcelain')).toBe('')
    expect(git(service.repository, 'fsck', '--strict', '--no-dangling')).toBe('')
    expect(git(service.repository, 'log', '-1', '-g', '--format=%gn %gs')).toBe('admin push\n')
  })

  it('is refused with line and column for every commit that is not valid, and leaves nothing', async () => {
    const { service, clone } = await serviceAndClone()
    const before = stateOf(service)
    await clone.commit(documentWith('alpha').replace('group=', 'grup='))
    await clone.commit(documentWith('repaired'))

    const { code, stderr } = await clone.push()

    expect(code).toBe(1)
    expect(stderr).toMatch(/remote: .*Commit [0-9a-f]{10}: config\.xml:3:14: .*grup/)
    expect(stderr).toContain('pre-receive hook declined')
    expect(stateOf(service)).toBe(before)
  })

  it('is refused with a plain secret, which does not get in', async () => {
    const { service, clone } = await serviceAndClone()
    const before = stateOf(service)
    const svn = `<svn url="https://example.org/a" username="ana" password="${SECRET}" />`
    await clone.commit(documentWith('a').replace(/<git url.*\/>/, svn))

    const { code, stderr } = await clone.push()

    expect(code).toBe(1)
    expect(stderr).toMatch(/config\.xml:6:\d+: .*password/)
    expect(stderr).not.toContain(SECRET)
    expect(stateOf(service)).toBe(before)
  })

  it('is refused when it would take revisions away, or goes elsewhere', async () => {
    const { service, clone } = await serviceAndClone()
    const before = stateOf(service)
    await clone.git('reset', '--quiet', '--hard', 'HEAD~1')
    await clone.commit(documentWith('other'))

    const plain = await clone.push()
    const forced = await clone.push('--force')
    const deleted = await clone.push('origin', ':main')
    const branch = await clone.push('origin', 'HEAD:refs/heads/other')
    const tag = await clone.push('origin', 'HEAD:refs/tags/one')

    expect(plain.stderr).toContain('rejected')
    expect(forced.stderr).toContain('only moves forward')
    expect(deleted.stderr).toContain('cannot be deleted')
    expect(branch.stderr).toContain('Only refs/heads/main can be pushed here, not refs/heads/other')
    expect(tag.stderr).toContain('not refs/tags/one')
    expect(stateOf(service)).toBe(before)
  })

  it('is refused when a commit claims to have another digest than it has', async () => {
    const { clone } = await serviceAndClone()
    const lines = ['Config-MD5: ' + '0'.repeat(32), 'Config-Time: 1', 'Schema-Version: 75']
    const facts = [...lines, 'Server-Edition: E', 'Server-Version: 1']
    clone.write(documentWith('forged'))
    const who = ['-c', 'user.name=Cairn', '-c', 'user.email=cairn@localhost']
    const date = '--date=1700000000 +0000'
    await clone.git(...who, 'commit', '-qa', date, '-m', `Forged\n\n${facts.join('\n')}`)
    await clone.git('rebase', '-q', '--committer-date-is-author-date', '--no-ff', 'HEAD~1')
    const script = 'GIT_COMMITTER_NAME=Cairn GIT_COMMITTER_EMAIL=cairn@localhost'
    await clone.git(
      'filter-branch',
      '--env-filter',
      `export ${script} GIT_COMMITTER_DATE="$GIT_AUTHOR_DATE"`,
      'HEAD~1..HEAD',
    )

    const { code, stderr } = await clone.push()

    expect(code).toBe(1)
    expect(stderr).toContain(`records the digest ${'0'.repeat(32)}`)
  })

  it('is one of two at once that succeeds; the other is told to fetch', async () => {
    const { service, clone } = await serviceAndClone()
    const rival = await Clone.of(service.url)
    await clone.commit(documentWith('mine'))
    await rival.commit(documentWith('theirs'))

    const outcomes = await Promise.all([clone.push(), rival.push()])

    expect(outcomes.map(({ code }) => code === 0)).toContain(true)
    expect(outcomes.map(({ code }) => code === 0)).toContain(false)
    expect(outcomes.map(({ stderr }) => stderr).join()).toMatch(/fetch first|only moves forward/)
    expect(await revisionsOf(service)).toHaveLength(3)
    expect(git(service.repository, 'status', '--porcelain')).toBe('')
  })

  it('goes well together with saves: nobody loses anything', async () => {
    const { service, clone } = await serviceAndClone()
    const pushes = new AbortController()
    const saver = async () => {
      const saved: string[] = []
      for (let n = 0; !pushes.signal.aborted; n += 1) {
        const response = await save(service, documentWith(`saved-${n}`))
        if (response.ok) saved.push(response.headers.get('x-service-config-md5') ?? '')
      }
      return saved
    }
    const pusher = async () => {
      const pushed: string[] = []
      for (let attempt = 0; pushed.length < 3 && attempt < 40; attempt += 1) {
        await clone.git('fetch', '--quiet')
        await clone.git('reset', '--quiet', '--hard', 'origin/main')
        const commit = await clone.commit(documentWith(`pushed-${attempt}`))
        if ((await clone.push()).code === 0) pushed.push(commit)
        else if (attempt > 2) pushes.abort()
      }
      pushes.abort()
      return pushed
    }

    const [saved, pushed] = await Promise.all([saver(), pusher()])

    const revisions = await revisionsOf(service)
    const digests = new Set(revisions.map(({ md5 }) => md5))
    const commits = new Set(revisions.map(({ commitSHA }) => commitSHA))
    expect(saved.length).toBeGreaterThan(0)
    expect(saved.filter((digest) => !digests.has(digest))).toEqual([])
    expect(pushed).toHaveLength(3)
    expect(pushed.filter((commit) => !commits.has(commit))).toEqual([])
    expect(git(service.repository, 'status', '--porcelain')).toBe('')
    expect(git(service.repository, 'fsck', '--strict', '--no-dangling')).toBe('')
  })

  it('sets an edit on disk that is not valid aside, as a save does', async () => {
    const { service, clone } = await serviceAndClone('--poll-interval', '100ms')
    writeFileSync(join(service.repository, 'config.xml'), '<cruise')
    await until(async () => (await (await service.fetch('/health')).text()).includes('degraded'))
    await clone.commit(documentWith('pushed'))

    const { code } = await clone.push()

    const aside = readdirSync(service.repository).filter((name) => name.includes('.invalid-'))
    expect(code).toBe(0)
    expect(liveFileOf(service.repository)).toBe(documentWith('pushed'))
    expect(aside).toHaveLength(1)
  })

  it('makes an edit on disk that is valid a revision first, and is told to fetch', async () => {
    const { service, clone } = await serviceAndClone('--poll-interval', '24h')
    writeFileSync(join(service.repository, 'config.xml'), documentWith('edited'))
    await clone.commit(documentWith('pushed'))

    const { stderr } = await clone.push()

    expect(stderr).toContain('the configuration has changed meanwhile: fetch first')
    expect((await revisionsOf(service))[0]).toMatchObject({ username: 'Filesystem' })
  })

  it('is judged whatever hooks somebody has put into the repository', async () => {
    const { service, clone } = await serviceAndClone()
    writeFileSync(join(service.repository, '.git/hooks/pre-receive'), '#!/bin/sh\nexit 0\n')
    await clone.commit('<cruise')

    expect((await clone.push()).stderr).toContain('pre-receive hook declined')
  })

  it('may have 10 MB', { timeout: 240_000 }, async () => {
    const { service, clone } = await serviceAndClone()
    const noise = randomBytes(7_500_000).toString('base64').replaceAll(/.{76}/g, '$&\n')
    const commit = await clone.commit(`${documentWith('large')}<!-- ${noise} -->\n`)

    const { code, stderr } = await clone.push()

    expect(stderr).toContain('main -> main')
    expect(code).toBe(0)
    expect((await revisionsOf(service))[0]).toMatchObject({ commitSHA: commit })
  })

  it('is refused when it is larger than a request may be', async () => {
    const { service, clone } = await serviceAndClone('--max-body', '64KiB')
    const before = stateOf(service)
    await clone.commit(`${documentWith('large')}<!-- ${randomBytes(300_000).toString('hex')} -->\n`)

    const { code, stderr } = await clone.push()

    expect(code).toBe(1)
    expect(stderr).toContain('exceeds maximum allowed size')
    expect(stateOf(service)).toBe(before)
  })

  it('that breaks off leaves nothing behind', async () => {
    const { service, clone } = await serviceAndClone()
    const before = stateOf(service)
    const commit = await clone.commit(documentWith('half'))
    const from = (await clone.git('rev-parse', 'HEAD~1')).trim()
    const command = `${from} ${commit} refs/heads/main\0report-status`
    const length = (command.length + 4).toString(16).padStart(4, '0')
    const broken = request(`${service.url}/git/config.git/git-receive-pack`, {
      method: 'POST',
      auth: `admin:${ADMIN_PASSWORD}`,
      headers: { 'content-type': 'application/x-git-receive-pack-request' },
    })

    broken.on('error', () => undefined)
    broken.write(`${length}${command}0000PACK\0\0\0\x02\0\0\0\x03`)
    await once(broken, 'response')
    broken.destroy()

    await until(() => stateOf(service) === before)
    expect((await clone.push()).code).toBe(0)
  })
})
