import { createHash } from 'node:crypto'
import { appendFileSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { hashPassword } from '../../src/security/password.ts'
import { git } from '../support/git/git.ts'
import { shared } from '../support/programs/at-end.ts'
import { until } from '../support/programs/until.ts'
import { DELEGATED, PEOPLE } from '../support/service/delegated-changes.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService, QUICK_COST } from '../support/service/service.ts'

const PATH = '/api/admin/rules.yaml'
const ROOT = 'root:p'
const FIRST = { 'if-none-match': '*' }
const ANY = { 'if-match': '*' }

const TWO_EYES = `version: 1
rules:
  - name: two-eyes
    match: { entity: [group/mine, pipeline in group/mine] }
    need: [{ approvals: 1, of: admins of the group }]
    not: [author]
    override: { by: user/root, reason: required }
    message: "Ask #payments"
  - name: templates
    match: { entity: pipeline/s2 }
    effect: deny
  - name: about-rules
    match: { entity: rules }
    need: [{ reason: required }]
`

async function serviceWithPeople(): Promise<CalledService> {
  const service = await openService()
  const hash = await hashPassword('p', QUICK_COST)
  const users = Object.keys(PEOPLE).map((name) => `${name}:${hash}\n`)
  appendFileSync(join(service.folder, 'state', 'users.htpasswd'), users.join(''))
  await until(async () => (await service.fetch('/api/agents', { as: ROOT })).status === 200)
  await save(service, DELEGATED)
  return service
}

function liveFileOf({ repository }: CalledService): string {
  return readdirSync(repository).find((name) => name.endsWith('.xml')) ?? ''
}

function putRules(
  service: CalledService,
  body: string,
  headers: Record<string, string>,
  as = ROOT,
): Promise<Response> {
  return service.fetch(PATH, { method: 'PUT', body, headers, as })
}

function putDocument(
  service: CalledService,
  body: string,
  headers: Record<string, string> = {},
  as = ROOT,
): Promise<Response> {
  return service.fetch('/api/admin/config.xml', {
    method: 'PUT',
    body,
    headers: { ...ANY, ...headers },
    as,
  })
}

describe('the file of rules', () => {
  const served = shared(serviceWithPeople)

  it('is put first with If-None-Match, and then upon the version that is there', async () => {
    const service = served()
    const before = await service.fetch(PATH, { as: ROOT })
    const unnamed = await putRules(service, TWO_EYES, {})
    const absent = await putRules(service, TWO_EYES, { 'if-match': '"x"' })
    const anyOfNone = await putRules(service, TWO_EYES, ANY)
    const first = await putRules(service, TWO_EYES, FIRST)
    const again = await putRules(service, TWO_EYES, FIRST)
    const tag = first.headers.get('etag') ?? ''
    const next = TWO_EYES.replace('#payments', '#pay')
    const message = { 'x-cairn-message': 'Another%20channel' }
    const both = await putRules(service, next, { ...ANY, ...FIRST })
    const upon = await putRules(service, next, { 'if-match': `"x", W/${tag}`, ...message })
    const stale = await putRules(service, TWO_EYES, { 'if-match': tag, ...message })
    const read = await service.fetch(PATH, { as: ROOT })

    expect(
      [before, unnamed, absent, anyOfNone, first, again, both, upon, stale].map(
        ({ status }) => status,
      ),
    ).toEqual([404, 428, 412, 412, 200, 412, 400, 200, 412])
    expect([await read.text(), read.headers.get('etag')]).toEqual([next, upon.headers.get('etag')])
  })

  it('is a commit of its own beside the document, which stays as it is', async () => {
    const service = served()
    const files = git(service.repository, 'show', '--name-only', '--format=%an: %s%n%b', 'HEAD')
    const size = git(service.repository, 'status', '--porcelain')
    const revisions = await (await service.fetch('/api/config/revisions', { as: ROOT })).text()

    expect(files).toMatch(/^root: Change the rules\n+Another channel\n+Config-MD5: /)
    expect(files).toMatch(/\ncairn-rules.yaml\n$/)
    expect(size).toBe('')
    expect(readFileSync(join(service.repository, 'cairn-rules.yaml'), 'utf8')).toContain('#pay')
    expect(JSON.parse(revisions)[0]).toMatchObject({ username: 'root', message: 'Another channel' })
  })

  it.each([
    [
      TWO_EYES.replace('user/root', 'user/rot'),
      'There is no user rot who can log in; did you mean "root"?',
    ],
    [TWO_EYES.replace('user/root', 'role/dev'), 'There is no role dev; did you mean "devs"?'],
    [
      TWO_EYES.replace('group in group/mine', 'group/mine').replace('group/mine', 'group/mina'),
      'There is no group mina; did you mean "mine"?',
    ],
    [
      TWO_EYES.replace('approvals: 1', 'approvals: 9'),
      'Nobody can satisfy this: 9 approvals by admins of the group mine',
    ],
    [
      TWO_EYES.replace('effect: deny', 'efect: deny'),
      'There is no key efect here; did you mean "effect"?',
    ],
    [
      `${TWO_EYES}examples: [{ name: x, change: { entity: pipeline/s2 }, expect: { allowed: true } }]\n`,
      'The example "x" expects allowed, and the rules say denies templates',
    ],
    [TWO_EYES.replace('version: 1\n', ''), 'The key version is missing'],
    [`${TWO_EYES}  - { name: Delegation, effect: deny }\n`, 'The name delegation is taken'],
    [
      `a: &a [${'x,'.repeat(20)}]\nb: &b [${'*a,'.repeat(20)}]\nc: [${'*b,'.repeat(20)}]\n${TWO_EYES}`,
      'The file repeats its anchors too often',
    ],
  ])('is refused with the place of what is wrong: case %#', async (text, message) => {
    const service = served()
    const headers = { ...ANY, 'x-cairn-message': 'why' }
    const answer = await putRules(service, text, headers)

    expect(answer.status).toBe(422)
    const { errors } = JSON.parse(await answer.text())
    expect(errors[0]).toMatchObject({
      message: expect.stringContaining(message),
      line: expect.any(Number),
      column: expect.any(Number),
    })
  })

  it('is for administrators, and judged by the rules before it', async () => {
    const service = served()
    const headers = { ...ANY, 'x-cairn-message': 'why' }
    const other = await putRules(service, TWO_EYES, headers, 'owner:p')
    const unexplained = await putRules(service, 'version: 1\nrules: []\n', ANY)

    expect([other.status, unexplained.status]).toEqual([403, 403])
    expect(JSON.parse(await unexplained.text()).needs).toEqual([
      { rule: 'about-rules', of: ['a reason'], reason: expect.any(String) },
    ])
    expect((await service.fetch(PATH, { as: 'owner:p' })).status).toBe(403)
    expect((await service.fetch('/api/config/rules-schema.json', { as: 'owner:p' })).status).toBe(
      200,
    )
  })
})

const MINE = DELEGATED.replace('m1.git', 'x.git')

describe('rules', () => {
  const served = shared(async () => {
    const service = await serviceWithPeople()
    await putRules(service, TWO_EYES, FIRST)
    return service
  })

  it('hold up a change with what it needs, in a message that old clients print', async () => {
    const service = served()
    const answer = await putDocument(service, MINE)
    const md5 = createHash('md5').update(DELEGATED).digest('hex')
    const body = new URLSearchParams({ xmlFile: MINE, md5 })
    const init = { method: 'POST', body, as: ROOT }
    const form = await service.fetch('/api/admin/config.xml', init)

    expect(answer.status).toBe(403)
    const text = await answer.text()
    expect(JSON.parse(text)).toEqual({
      message:
        'The rule two-eyes needs an approval by admins of the group mine for pipeline/m1: Ask #payments',
      needs: [{ rule: 'two-eyes', of: ['admins of the group mine'], reason: 'Ask #payments' }],
      propose: '/api/proposals',
    })
    expect([form.status, await form.text()]).toEqual([403, text])
  })

  it('see pipelines as they run', async () => {
    const service = served()
    const byTemplate = DELEGATED.replace(/(name="t-seen">[^]*?command=")make/, '$1ls')
    const answer = await putDocument(service, byTemplate)
    const comment = await putDocument(
      service,
      DELEGATED.replace('<pipeline name="t-seen">', '<pipeline name="t-seen"><!-- c -->'),
    )

    expect(JSON.parse(await answer.text()).needs.map(({ rule }: { rule: string }) => rule)).toEqual(
      ['two-eyes', 'templates'],
    )
    expect(comment.status).toBe(200)
  })

  it('let everything else pass', async () => {
    const service = served()
    const elsewhere = await putDocument(service, DELEGATED.replace('o1.git', 'y.git'))

    expect(elsewhere.status).toBe(200)
  })

  it('are passed by an override of those whom they name, with a reason, and git tells', async () => {
    const service = served()
    const override = { 'x-cairn-override': 'two-eyes' }
    const why = { 'x-cairn-message': 'outage' }
    const answers = [
      await putDocument(service, MINE, override),
      await putDocument(service, MINE, why),
      await putDocument(service, MINE, { ...override, ...why }, 'owner:p'),
      await putDocument(service, MINE, { ...override, ...why }),
    ]

    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 200])
    const trailer = git(
      service.repository,
      'log',
      '-1',
      '--format=%(trailers:key=Overridden-by,valueonly)',
    )
    expect(trailer.trim()).toBe('root two-eyes')
  })

  it('hold for an edit of the live file, which stays as it is until it is mended', async () => {
    const service = served()
    const file = join(service.repository, liveFileOf(service))
    const before = readFileSync(file, 'utf8')
    writeFileSync(file, before.replace('m1', 'm1'.toUpperCase()))
    const health = async () => {
      const answer = await service.fetch('/health', { as: ROOT })
      return JSON.stringify(await answer.json())
    }

    await expect.poll(health).toContain('The rule two-eyes needs an approval')
    expect(readFileSync(file, 'utf8')).toContain('M1')
    writeFileSync(file, before)
    await expect.poll(health).not.toContain('needs an approval')
  })
})
