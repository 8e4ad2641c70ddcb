import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { documentWith } from '../../support/documents/documents.ts'
import { git, gitBytes, identityOf } from '../../support/git/git.ts'
import type { GitOutcome } from '../../support/git/git-client.ts'
import { ADMIN_PASSWORD, type TestService } from '../../support/service/service.ts'
import { HOSTILE_TREES, writeHostileTree } from '../../support/history/hostile-trees.ts'
import { until } from '../../support/programs/until.ts'
import { revisionsOf, liveFileOf, serviceAndClone } from '../../support/history/push-scene.ts'

const SECRET = 'hunter2-in-plain'

/** The state of a repository that a push may have changed. */
function stateOf({ repository }: TestService): string {
  const objects = git(repository, 'cat-file', '--batch-all-objects', '--batch-check')
  const left = readdirSync(join(repository, '.git/objects')).filter((name) =>
    name.startsWith('tmp'),
  )
  return [objects, left.join(), git(repository, 'for-each-ref'), liveFileOf(repository)].join('\n')
}

/** The lines about a push in the terminal of its client. */
function notesIn({ stderr }: GitOutcome): string[] {
  return Array.from(stderr.matchAll(/remote: cairn: (.*?) *$/gm), ([, note = '']) => note)
}

describe('a push over HTTP', () => {
  it('is a revision by the author of the commit once git says so, and the live file follows', async () => {
    const { service, clone } = await serviceAndClone()
    const first = await clone.commit(documentWith('alpha', 'beta'))
    const second = await clone.commit(documentWith('alpha', 'gamma'))

    const { code, stderr } = await clone.push()

    expect(code).toBe(0)
    expect(stderr).toMatch(/remote: cairn: Saved as r4\b/)
    expect((await revisionsOf(service)).slice(0, 2)).toMatchObject([
      { commitSHA: second, username: 'Gil' },
      { commitSHA: first, username: 'Gil' },
    ])
    expect(liveFileOf(service.repository)).toBe(documentWith('alpha', 'gamma'))
    expect(git(service.repository, 'status', '--porcelain')).toBe('')
    expect(git(service.repository, 'fsck', '--strict', '--no-dangling')).toBe('')
    expect(git(service.repository, 'log', '-1', '-g', '--format=%gn %gs')).toBe('admin push\n')
  })

  it.each(['-live.xml', 'a folder/"live\'s".xml'])(
    'is a revision whatever the live file is called: %s',
    async (name) => {
      const { service, clone } = await serviceAndClone(`--config-file=${name}`)
      writeFileSync(join(clone.folder, name), documentWith('beta'))
      await clone.git('commit', '--quiet', '--all', '--message', 'Rename')

      const { stderr } = await clone.push()

      expect(stderr).toMatch(/remote: cairn: Saved as r3\b/)
      expect(git(service.repository, 'status', '--porcelain')).toBe('')
    },
  )

  it('is answered with the address of its revision, as the client reached it, and with what it starts', async () => {
    const { service, clone } = await serviceAndClone('--base-path', '/cd')
    await clone.commit(documentWith('alpha', 'beta'))
    const adding = await clone.push()
    await clone.commit(documentWith('alpha', 'beta').replace('"make"', '"ninja"'))
    const changing = await clone.push()

    expect(notesIn(adding)).toEqual([`Saved as r3: ${service.url}/config/r3`, '  it starts beta'])
    expect(notesIn(changing)).toEqual([
      `Saved as r4: ${service.url}/config/r4`,
      '  it starts nothing',
    ])
    const [address = ''] = /http:\S+/.exec(adding.stderr) ?? []
    const shown = await service.fetch(address.slice(service.url.length))
    expect([shown.status, await shown.text()]).toEqual([200, expect.stringContaining('beta')])
  })

  it('is answered with the address that people use, where it is known', async () => {
    const { clone } = await serviceAndClone('--public-url', 'https://cairn.example.org')
    await clone.commit(documentWith('alpha', 'beta'))

    const [saved] = notesIn(await clone.push())

    expect(saved).toBe('Saved as r3: https://cairn.example.org/config/r3')
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
    const date = '1700000000 +0000'
    const dates = { GIT_AUTHOR_DATE: date, GIT_COMMITTER_DATE: date }
    const service = { GIT_AUTHOR_EMAIL: 'cairn@localhost', GIT_COMMITTER_EMAIL: 'cairn@localhost' }
    const env = { ...identityOf('Cairn'), ...service, ...dates }
    const message = `Forged\n\n${facts.join('\n')}`
    gitBytes(clone.folder, ['commit', '--quiet', '--all', '--message', message], { env })

    const { code, stderr } = await clone.push()

    expect(code).toBe(1)
    expect(stderr).toContain(`records the digest ${'0'.repeat(32)}`)
  })

  it.each(['a mode that git does not have', 'a device'] as const)(
    'is refused with a tree that git lets through, and leaves nothing: %s',
    async (what) => {
      const tree = HOSTILE_TREES[what]
      const { service, clone } = await serviceAndClone()
      const before = stateOf(service)
      const written = writeHostileTree(clone.folder, 'HEAD', tree)

      const { code, stderr } = await clone.try('push', 'origin', `${written}:refs/heads/main`)

      expect(stderr).toMatch(tree.why)
      expect(code).toBe(1)
      expect(stateOf(service)).toBe(before)
    },
  )

  it('is judged whatever hooks somebody has put into the repository', async () => {
    const { service, clone } = await serviceAndClone()
    writeFileSync(join(service.repository, '.git/hooks/pre-receive'), '#!/bin/sh\nexit 0\n')
    await clone.commit('<cruise')

    expect((await clone.push()).stderr).toContain('pre-receive hook declined')
  })

  it('may have 10 MB', { timeout: 240_000, tags: ['long'] }, async () => {
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
