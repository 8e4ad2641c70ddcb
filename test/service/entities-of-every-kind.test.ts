import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ENTITY_PREFIXES } from '../../src/document/entities/entities.ts'
import { aConfiguration } from '../support/documents/a-configuration.ts'
import { Clone, repositoryUrl } from '../support/git/git-client.ts'
import { git } from '../support/git/git.ts'
import { shared } from '../support/programs/at-end.ts'
import { save } from '../support/service/saving.ts'
import { openService, startService } from '../support/service/service.ts'

const PLUGGED = '<pluginConfiguration id="x" version="1" />'
const PROPERTY = '<configuration><property><key>k</key><value>v</value></property></configuration>'
const STAGE = '<stage name="s"><jobs><job name="j" /></jobs></stage>'

/** A new entity of each kind, in an order in which they may come, and the query that it takes. */
const NEW: readonly (readonly [place: string, xml: string, query?: string])[] = [
  ['server', '<server serverId="two" />'],
  ['user/ben', '<user>ben</user>'],
  ['role/dev', '<role name="dev" />'],
  ['artifact-store/store', '<artifactStore id="store" pluginId="p" />'],
  ['config-repo/more', '<config-repo id="more" pluginId="p"><git url="x" /></config-repo>'],
  ['secret-config/vault', '<secretConfig id="vault" pluginId="p" />'],
  ['cluster-profile/one', '<clusterProfile id="one" pluginId="p" />'],
  ['agent-profile/big', '<agentProfile id="big" clusterProfileId="one" />'],
  ['repository/r', `<repository id="r" name="r">${PLUGGED}${PROPERTY}</repository>`],
  ['scm/s', `<scm id="s" name="s">${PLUGGED}${PROPERTY}</scm>`],
  ['template/t', `<pipeline name="t">${STAGE}</pipeline>`],
  ['group/fresh', '<pipelines group="fresh" />'],
  [
    'pipeline/new',
    `<pipeline name="new"><materials><git url="x" /></materials>${STAGE}</pipeline>`,
    '?group=first',
  ],
  ['environment/live', '<environment name="live" />'],
  ['agent/u1', '<agent hostname="box" ipaddress="127.0.0.1" uuid="u1" />'],
]

const Told = z.object({ changes: z.array(z.object({ entity: z.string() })) })

/** Two pipelines in another spelling than that of our edits: quotes, white space, an entity, a long form. */
const ODD = `<?xml version='1.0'?>
<cruise  schemaVersion='75'>
  <pipelines group = 'first'  >
\t<pipeline name='odd'\n  labeltemplate = "&#49;.\${COUNT}"><materials><git url='x'></git></materials>
     <stage name='s' ><jobs><job name='j'></job ></jobs></stage></pipeline>
    <pipeline name="plain"><materials><git url="x" /></materials>${STAGE}</pipeline>
  </pipelines>
</cruise >`

const PLAIN = `<pipeline name="plain" labeltemplate="1.\${COUNT}"><materials><git url="x" /></materials>${STAGE}</pipeline>`

describe('the spelling of a text that was saved or pushed', () => {
  it('stays as it was written, whatever is edited beside it', async () => {
    const pushed = await startService()
    const clone = await Clone.of(pushed.url)
    await clone.commit(ODD)
    expect(await clone.push(repositoryUrl(pushed.url), 'HEAD:main')).toMatchObject({ code: 0 })
    const saved = await openService()
    expect((await save(saved, ODD)).status).toBe(200)
    for (const service of [pushed, saved]) {
      const send = (place: string, method: string, body = '') =>
        service.fetch(`/api/config/entities/${place}`, {
          method,
          headers: { 'if-match': '*' },
          ...(body === '' ? {} : { body }),
        })
      const current = async () => (await service.fetch('/api/admin/config.xml')).text()
      expect(await current()).toBe(ODD)
      const odd = await (await send('pipeline/odd', 'GET')).text()
      expect(ODD).toContain(odd)
      expect((await send('pipeline/odd', 'PUT', odd)).status).toBe(200)
      expect((await send('pipeline/plain', 'PUT', PLAIN)).status).toBe(200)
      expect(await current()).toBe(ODD.replace(/<pipeline name="plain">.*/, () => PLAIN))
      expect((await send('pipeline/plain', 'DELETE')).status).toBe(200)
      expect(await current()).toBe(ODD.replace(/ *<pipeline name="plain">.*\n/, ''))
    }
  })
})

describe('entities of every kind that changes name', () => {
  const service = shared(async () => {
    const opened = await openService()
    const document = aConfiguration({ groups: [{ group: 'first', pipelines: [{ name: 'old' }] }] })
    const later = document.replace(/schemaVersion="\d+"/, 'schemaVersion="139"')
    await save(opened, later)
    return opened
  })

  it('are these', () => {
    const known = ENTITY_PREFIXES.filter((prefix) => prefix !== 'document')

    expect(new Set(NEW.map(([place]) => place.split('/')[0]))).toEqual(new Set(known))
  })

  it('are made, read, listed, put again without a commit, changed with the digest of their own, and removed', async () => {
    const send = async (place: string, init: RequestInit = {}, query = '') => {
      const answer = await service().fetch(`/api/config/entities/${place}${query}`, init)
      return {
        status: answer.status,
        etag: answer.headers.get('etag') ?? '',
        text: await answer.text(),
      }
    }
    const head = () => git(service().repository, 'rev-parse', 'HEAD').trim()
    const wrong: unknown[] = []
    const check = (place: string, what: string, found: unknown, wanted: unknown) => {
      if (JSON.stringify(found) !== JSON.stringify(wanted)) wrong.push([place, what, found, wanted])
    }
    for (const [place, body, query] of NEW) {
      const [kind = '', name = ''] = place.split('/')
      const isThere = (await send(place)).status === 200
      const condition = isThere ? { 'if-match': '*' } : { 'if-none-match': '*' }
      const made = await send(place, { method: 'PUT', headers: condition, body }, query)
      check(place, 'made', [made.status, made.status === 200 ? '' : made.text], [200, ''])
      const told = await service().fetch(`/api/config/changes/${head()}`)
      const { changes } = Told.parse(await told.json())
      check(
        place,
        'told',
        changes.some(({ entity }) => entity === place),
        true,
      )
      const read = await send(place)
      check(place, 'read', [read.text, read.etag], [body, made.etag])
      const list = await (await service().fetch(`/api/config/entities?kind=${kind}`)).text()
      check(place, 'listed', list.includes(`"kind":"${kind}","name":"${name}"`), true)
      const before = head()
      const again = await send(place, { method: 'PUT', headers: { 'if-match': read.etag }, body })
      check(place, 'put again', [again.status, head()], [200, before])
      const changed = body.replace(/ ?\/?>/, (end) => ` ${end}`)
      const stale = { 'if-match': `"${'0'.repeat(32)}"` }
      const refused = await send(place, { method: 'PUT', headers: stale, body: changed })
      check(place, 'stale', refused.status, 412)
      const own = { 'if-match': read.etag }
      const put = await send(place, { method: 'PUT', headers: own, body: changed })
      check(place, 'changed', [put.status, (await send(place)).text], [200, changed])
      const then = await send(place, {}, `?at=${before}`)
      check(place, 'at', then.text, body)
    }
    const headers = { 'if-match': '*' }
    for (const [place] of NEW.toReversed()) {
      const { status, text } = await send(place, { method: 'DELETE', headers })
      check(place, 'removed', [status, status === 200 ? '' : text], [200, ''])
      check(place, 'gone', (await send(place)).status, 404)
    }

    expect(wrong).toEqual([])
    expect(git(service().repository, 'fsck', '--strict', '--no-dangling')).toBe('')
  })
})

describe('entities of every kind that came with all that is around them', () => {
  const bare = '<cruise schemaVersion="139">\n</cruise>\n'
  const history = shared(async () => {
    const service = await openService()
    await save(service, bare.replace('\n', '\n  <pipelines group="first" />\n'))
    for (const [place, body, query = ''] of NEW) {
      const init = { method: 'PUT', headers: { 'if-none-match': '*' }, body }
      await service.fetch(`/api/config/entities/${place}${query}`, init)
    }
    const full = await (await service.fetch('/api/admin/config.xml')).text()
    for (const document of [bare, full, bare]) await save(service, document)
    const revisions = await service.fetch('/api/config/revisions')
    const last = JSON.parse(await revisions.text()).length
    return { service, before: `r${last - 2}`, after: `r${last - 1}` }
  })
  const textOf = async (path: string) => (await history().service.fetch(path)).text()
  // An administrator is no element with a name, and the server is alone.
  const named = NEW.filter(([place]) => !['server', 'user/ben'].includes(place))

  it.each(named)('have the patch that their comparison links to: %s', async (place, body) => {
    const { before, after } = history()
    const page = await textOf(`/config/entity/${place}/compare/${before}/${after}`)
    const [, link = ''] = /href="([^"]*\.patch)"/.exec(page) ?? []
    const patch = await textOf(link)

    expect(patch).toMatch(/^diff --git a\/config\.xml b\/config\.xml\n/)
    expect(patch).toContain(body)
    expect(patch).not.toContain('serverId')
  })

  it.each(named.map(([place]) => place))('come back without the rest: %s', async (place) => {
    const page = await textOf(`/config/entity/${place}/restore/${history().after}`)

    expect(page).toContain(`Restore only this ${place.split('/')[0]}`)
    expect(page).not.toContain('serverId')
  })
})
