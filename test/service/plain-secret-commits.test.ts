import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { HealthBody } from '../../src/wire/health-body.ts'
import { RevisionEntry } from '../../src/wire/revision-bodies.ts'
import { documentWith } from '../support/documents/documents.ts'
import { git, gitLine } from '../support/git/git.ts'
import { save } from '../support/service/saving.ts'
import { openService, type CalledService } from '../support/service/service.ts'
import { until } from '../support/programs/until.ts'
import { AuditBody } from '../../src/wire/service-bodies.ts'

/** A secret that no output may contain. */
const PLAIN = 'hunter2-in-plain'

const VARIABLES = `        <environmentvariables>
          <variable name="TOKEN" secure="true"><value>${PLAIN}</value></variable>
          <variable name="PEM" secure="true"><value><![CDATA[${PLAIN}]]></value></variable>
        </environmentvariables>
        <jobs>`

const SERVER = `  <server serverId="one">
    <security><ldap uri="ldap://x" managerDn="cn=x" managerPassword="${PLAIN}"><bases><base value="x" /></bases></ldap></security>
    <mailhost hostname="h" port="25" tls="false" from="a@b.cd" admin="a@b.cd" username="u" password="${PLAIN}" />
  </server>
  <pipelines`

/** A plain secret in each place that a document has for one. */
const EVERYWHERE = documentWith('git', 'token', 'svn', 'url', 'p4', 'tfs', 'hg')
  .replace('  <pipelines', SERVER)
  .replace(
    '<git url="https://example.org/git.git" />',
    `<git url="https://ana:${PLAIN}@h/a.git" />`,
  )
  .replace(
    '<git url="https://example.org/token.git" />',
    `<git url="https://ghp_${PLAIN}0123@h/b.git" />`,
  )
  .replace(
    '<git url="https://example.org/svn.git" />',
    `<svn url="https://h/a" password="${PLAIN}" />`,
  )
  .replace('<git url="https://example.org/url.git" />', `<svn url="https://ana:${PLAIN}@h/b" />`)
  .replace(
    '<git url="https://example.org/p4.git" />',
    `<p4 port="h:1666" username="u" password="${PLAIN}"><view>//a/... //b/...</view></p4>`,
  )
  .replace(
    '<git url="https://example.org/tfs.git" />',
    `<tfs url="https://h/c" username="u" password='${PLAIN}' projectPath="$/p" />`,
  )
  .replace('<git url="https://example.org/hg.git" />', `<hg url="https://ana:${PLAIN}@h/d" />`)
  .replaceAll('        <jobs>', VARIABLES)

function quick(folder?: string): Promise<CalledService> {
  return openService(['--poll-interval', '100ms'], folder)
}

/** A commit with git in the folder of the service, past it. */
function commit({ repository }: CalledService, document: string, subject: string): string {
  writeFileSync(join(repository, 'config.xml'), document)
  git(repository, 'commit', '--quiet', '--all', '-m', subject)
  return gitLine(repository, 'rev-parse', 'HEAD')
}

async function revisionsOf(service: CalledService): Promise<RevisionEntry[]> {
  const list: unknown = await (await service.fetch('/api/config/revisions')).json()
  return RevisionEntry.array().parse(list)
}

async function healthOf(service: CalledService): Promise<HealthBody> {
  return HealthBody.parse(await (await service.fetch('/health')).json())
}

/** A service with a secret in a commit past it, followed by what the service made of it. */
async function serviceWithCommit() {
  const service = await quick()
  await save(service, documentWith('before'))
  const native = commit(service, EVERYWHERE, 'By hand')
  await untilSealed(service, native)
  return { service, native }
}

/** Waits until the service has followed a commit with one of its own, and told of it. */
async function untilSealed(service: CalledService, native: string): Promise<void> {
  await until(async () => {
    const [newest] = await revisionsOf(service)
    const health = JSON.stringify(await healthOf(service))
    return newest?.username === 'Filesystem' && health.includes(native.slice(0, 10))
  })
}

function acknowledge(service: CalledService, sha: string): Promise<Response> {
  const path = `/api/config/revisions/${sha}/acknowledge-secrets`
  return service.fetch(path, { method: 'POST' })
}

/** The text of a page, without its tags. */
async function textOf(service: CalledService, path: string): Promise<string> {
  const html = await (await service.fetch(path)).text()
  const text = html.replaceAll(/<(?!br)[^>]*>/g, '')
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"')
}

describe('a commit past the service with secrets in plain text', () => {
  it('is followed at once by one that seals them and says so', async () => {
    const { service, native } = await serviceWithCommit()

    const [newest, second] = await revisionsOf(service)
    const document = await (await service.fetch('/api/admin/config.xml')).text()

    expect(second).toMatchObject({ commitSHA: native, username: 'Gil' })
    expect(newest).toMatchObject({ username: 'Filesystem' })
    expect(git(service.repository, 'log', '-1', '--format=%s')).toBe(
      `Seal the secrets that commit ${native.slice(0, 10)} has in plain text\n`,
    )
    expect(document).not.toContain(PLAIN)
    expect(document.match(/AES:/g)).toHaveLength(7 + 2 + 2 * 7)
    expect(git(service.repository, 'status', '--porcelain')).toBe('')
  })

  it('leaves the service by no road', async () => {
    const { service, native } = await serviceWithCommit()
    const [newest, second, before] = await revisionsOf(service)
    if (!newest || !second || !before) throw new Error('there are not three revisions')
    await save(service, documentWith('after'))

    const [from, to] = [before.commitSHA, native]
    const roads = [
      '/health',
      '/api/admin/config.xml',
      '/api/config/revisions',
      '/api/config/revisions?entity=pipeline/svn',
      '/api/config/watch?wait=0',
      `/api/config/watch?wait=0&since=${from}`,
      `/api/config/diff/${from}/${to}`,
      `/api/config/diff/${to}/${newest.commitSHA}`,
      `/api/config/changes/${from}/${to}`,
      `/api/config/changes/${to}/${newest.commitSHA}`,
      '/api/pipelines',
      '/config',
      '/config?q=url',
      '/config/feed.atom',
      '/config/feed.json',
      '/config/edit',
      '/config/r3',
      '/config/r3?blame=1',
      '/config/r3/restore',
      '/config/r3/undo',
      '/config/r4',
      '/config/compare/r2/r3',
      '/config/compare/r2/r3?ctx=whole',
      '/config/compare/r3/r4?ctx=whole',
      '/config/compare/r2/r3.patch',
      '/config/compare/r3/r4.patch',
      '/config/entity/pipeline/svn',
      '/config/entity/pipeline/svn/compare/r3/r4',
      '/config/entity/pipeline/svn/restore/r3',
      '/config/entity/server',
      '/pipelines',
    ]
    const answers = await Promise.all(
      roads.map(async (path) => {
        const answer = await service.fetch(path)
        return `${path} ${answer.status}\n${await answer.text()}`
      }),
    )

    expect(
      answers.filter((answer) => !/^\S+ 200\n/.test(answer)).map((a) => a.split('\n')[0]),
    ).toEqual([])
    expect(answers.filter((answer) => answer.includes(PLAIN)).map((a) => a.split('\n')[0])).toEqual(
      [],
    )
    expect(JSON.stringify(service.logged)).not.toContain(PLAIN)
  })

  it('has differences that are the same each time, with everything but the secrets', async () => {
    const { service, native } = await serviceWithCommit()
    const [, , before] = await revisionsOf(service)
    const path = `/api/config/diff/${before?.commitSHA}/${native}`

    const diff = await (await service.fetch(path)).text()
    await service.close()
    const again = await quick(service.folder)

    expect(diff).toContain('+        <svn url="https://h/a" encryptedPassword="AES:')
    expect(diff).toContain('+          <variable name="PEM" secure="true"><encryptedValue>AES:')
    expect(await (await again.fetch(path)).text()).toBe(diff)
  })

  it('is shown on pages as it is written, hidden, with a word at each place', async () => {
    const { service } = await serviceWithCommit()

    const compared = await textOf(service, '/config/compare/r2/r3?ctx=whole')
    const snapshot = await textOf(service, '/config/r3')
    const sealing = await textOf(service, '/config/compare/r3/r4?ctx=whole')

    for (const page of [compared, snapshot]) {
      expect(page).toContain(
        '<svn url="https://h/a" password="•••• hidden here, plain text in git" />',
      )
      expect(page).toContain('<git url="https://•••• hidden here, plain text in git@h/b.git" />')
      expect(page).toContain('<value>•••• hidden here, plain text in git</value>')
      expect(page).not.toMatch(/encrypted(Password|Value|ManagerPassword)/)
      expect(page).toContain('r3 contains 23 plain-text secrets')
      expect(page).toContain('can read them. Change them where they are used')
    }
    expect(sealing).toContain('encryptedPassword="•••• hidden"')
    expect(sealing).toContain('r3 contains 23 plain-text secrets')
    expect(sealing).not.toContain('r4 contains')
  })

  it('is named once by a comparison with a later one that has the same secrets', async () => {
    const service = await quick()
    await save(service, documentWith('before'))
    await service.close()
    commit(service, EVERYWHERE, 'By hand')
    commit(service, EVERYWHERE.replace('  <pipelines', '\n  <pipelines'), 'Again')
    const again = await quick(service.folder)
    await until(async () =>
      JSON.stringify(await healthOf(again)).includes('2 revisions have secrets'),
    )

    const compared = await textOf(again, '/config/compare/r3/r4')
    const reversed = await textOf(again, '/config/compare/r4/r3')

    for (const page of [compared, reversed]) {
      expect(page).toContain('r4 contains 23 plain-text secrets')
      expect(page).not.toContain('r3 contains')
    }
  })

  it('names on its page the lines that have them', async () => {
    const { service } = await serviceWithCommit()
    const line = EVERYWHERE.split('\n').findIndex((each) => each.includes('managerPassword')) + 1

    const compared = await (await service.fetch('/config/compare/r2/r3')).text()
    const snapshot = await (await service.fetch('/config/r3')).text()

    expect(compared).toContain(`<a href="#R${line}">line ${line}</a>`)
    expect(snapshot).toContain(`<a href="#L${line}">line ${line}</a>`)
  })

  it('has its secrets revealed to an administrator who asks', async () => {
    const { service, native } = await serviceWithCommit()

    const revealed = await service.fetch(`/config/${native}/reveal`, { method: 'POST' })

    expect(await revealed.text()).toContain(`<span class="secret">${PLAIN}</span>`)
  })

  it('is acknowledged on the page of problems', async () => {
    const { service, native } = await serviceWithCommit()
    const problems = await (await service.fetch('/problems')).text()
    const [, action = ''] =
      /<form method="post" action="([^"]*)"><button[^>]*>Acknowledge/.exec(problems) ?? []

    const done = await service.fetch(action, { method: 'POST' })
    const after = await (await service.fetch(done.headers.get('location') ?? '')).text()
    const log: unknown = await (await service.fetch('/api/audit?action=acknowledge-secrets')).json()

    expect(problems).not.toContain('POST /api')
    expect(problems).toMatch(/A revision has secrets in plain text\..*r3 by Gil: /s)
    expect(problems).toMatch(/<a href="\/config\/r3#L(\d+)">Line \1 of r3<\/a>/)
    expect(action).toContain(native)
    expect(done.status).toBe(303)
    expect(after).toContain(`Acknowledged the plain-text secrets of r3.`)
    expect((await healthOf(service)).problems).toEqual([])
    expect(AuditBody.parse(log).entries).toMatchObject([{ user: 'admin', outcome: 'done' }])
    expect(await textOf(service, '/config/r3')).toContain('Acknowledged by admin')
  })

  it('is refused as a snapshot, because no other bytes have its digest', async () => {
    const { service } = await serviceWithCommit()
    const [, second, before] = await revisionsOf(service)

    const refused = await service.fetch(`/api/admin/config/${second?.md5}.xml`)
    const again = await service.fetch(`/api/admin/config/${second?.md5}.xml`)
    const body = await refused.text()
    const older = await service.fetch(`/api/admin/config/${before?.md5}.xml`)

    expect([refused.status, again.status, older.status]).toEqual([410, 410, 200])
    expect(body).toContain('secrets in plain text')
    expect(body).toMatch(/"line":\d+/)
    expect(body).not.toContain(PLAIN)
  })

  it('can be restored, with its secrets sealed', async () => {
    const { service, native } = await serviceWithCommit()
    await save(service, documentWith('after'))

    const path = `/api/config/revisions/${native}/restore`
    const restored = await service.fetch(path, { method: 'POST' })
    const document = await (await service.fetch('/api/admin/config.xml')).text()

    expect(restored.status).toBe(200)
    expect(document).toContain('<svn url="https://h/a" encryptedPassword="AES:')
    expect(document).not.toContain(PLAIN)
  })

  it('stands in the health with what to do, over a restart, until an administrator acknowledges it', async () => {
    const { service, native } = await serviceWithCommit()

    const [problem] = (await healthOf(service)).problems
    expect(problem?.subject).toContain('secrets in plain text')
    expect(problem?.subject).toContain(`/api/config/revisions/${native}/acknowledge-secrets`)
    expect(problem?.errors.map(({ message }) => message)).toContain(
      `r3 by Gil: the attribute "managerPassword" of <ldap> is in plain text`,
    )

    await service.close()
    const again = await quick(service.folder)
    expect((await healthOf(again)).problems).toEqual([problem])
    expect((await acknowledge(again, native)).status).toBe(200)
    expect((await healthOf(again)).problems).toEqual([])
    const log: unknown = await (await again.fetch('/api/audit?action=acknowledge-secrets')).json()
    expect(AuditBody.parse(log).entries).toMatchObject([{ user: 'admin', outcome: 'done' }])

    await again.close()
    const third = await quick(service.folder)
    await third.fetch('/api/config/revisions?entity=pipeline/svn')
    expect((await healthOf(third)).problems).toEqual([])
  })

  it('is acknowledged together with older ones, and not with newer ones', async () => {
    const { service, native } = await serviceWithCommit()
    const second = commit(service, EVERYWHERE.replace('name="url"', 'name="two"'), 'Again')
    const problems = async () => (await healthOf(service)).problems.map(({ subject }) => subject)
    await untilSealed(service, second)
    expect(await problems()).toEqual([expect.stringMatching(/^2 revisions have /)])

    await acknowledge(service, native)
    const left = await problems()
    await acknowledge(service, second)

    expect(left).toEqual([expect.stringMatching(/^A revision has /)])
    expect(left[0]).toContain(second)
    expect(await problems()).toEqual([])
    const [, , , , before] = await revisionsOf(service)
    expect((await acknowledge(service, before?.commitSHA ?? '')).status).toBe(404)
  })

  it('is found in a repository that is adopted, however old it is', async () => {
    const service = await quick()
    const native = commit(service, EVERYWHERE, 'By hand')
    await until(async () => (await healthOf(service)).problems.length > 0)
    await save(service, documentWith('later'))
    await service.close()

    const other = await openService(['--state-dir', join(service.folder, 'other')], service.folder)
    await until(async () => (await healthOf(other)).problems.length > 0)

    expect((await healthOf(other)).problems[0]?.subject).toContain(native)
  })
})
