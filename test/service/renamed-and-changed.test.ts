import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { aConfiguration, dependency, exec, git } from '../support/documents/a-configuration.ts'
import { save } from '../support/service/saving.ts'
import { type CalledService, openService } from '../support/service/service.ts'

const OTHERS = Array.from({ length: 20 }, (_, n) => `other-${n}`)
const TASKS = ['one', ...OTHERS, 'seven', 'eight']

function document({ members = ['make'] }: { readonly members?: readonly string[] } = {}): string {
  const stages = [{ jobs: [{ tasks: TASKS.map((task) => exec(task)) }] }]
  const other = [{ jobs: [{ tasks: [exec('ship')] }] }]
  return aConfiguration({
    pipelines: [
      { name: 'make', stages },
      { name: 'ship', materials: [dependency('make')], stages: other },
      { name: 'sell', materials: [git('https://example.org/sell')], stages: other },
    ],
    environments: [{ name: 'live', pipelines: members }],
  })
}

const BASE = document()

/** A rename of the pipeline with all that refers to it, and a change of one of its tasks. */
function renamed(text: string, to: string, task = 'one'): string {
  return text
    .replaceAll(/(name|pipelineName)="make"/g, `$1="${to}"`)
    .replace(`command="${task}"`, `command="${task}-by-${to}"`)
}

/** Another change of the pipeline. */
function changed(text: string): string {
  return text.replace('command="eight"', 'command="mine"')
}

function md5(text: string): string {
  return createHash('md5').update(text).digest('hex')
}

async function serviceAfter(...documents: readonly string[]): Promise<CalledService> {
  const service = await openService()
  for (const text of documents) expect((await save(service, text)).status).toBe(200)
  return service
}

async function currentOf(service: CalledService): Promise<string> {
  return (await service.fetch('/api/admin/config.xml')).text()
}

function putUpon(service: CalledService, base: string, body: string): Promise<Response> {
  const headers = { 'if-match': `"${md5(base)}"` }
  return service.fetch('/api/admin/config.xml', { method: 'PUT', headers, body })
}

/** Sends the editor's form of an entity, or of the whole document. */
function edit(service: CalledService, fields: Readonly<Record<string, string>>): Promise<Response> {
  const body = new URLSearchParams({ basedOn: md5(BASE), entity: '', action: 'save', ...fields })
  return service.fetch('/config/edit', { method: 'POST', body })
}

function pipelineIn(text: string, name: string): string {
  return (
    new RegExp(`<pipeline name="${name}">[^]*?</pipeline>(?=\\s*<(?:pipeline |/pipelines))`).exec(
      text,
    )?.[0] ?? ''
  )
}

const THEIRS = renamed(BASE, 'build')

describe('a change of a pipeline that others have renamed and changed', () => {
  it('is merged by a stale PUT, whichever of the two is stale', async () => {
    const service = await serviceAfter(BASE, THEIRS)
    const other = await serviceAfter(BASE, changed(BASE))

    const statuses = [
      (await putUpon(service, BASE, changed(BASE))).status,
      (await putUpon(other, BASE, THEIRS)).status,
    ]

    expect(statuses).toEqual([200, 200])
    expect(await currentOf(service)).toBe(changed(THEIRS))
    expect(await currentOf(other)).toBe(changed(THEIRS))
  })

  it('is merged by the form save, and by the editor of the one pipeline', async () => {
    const service = await serviceAfter(BASE, THEIRS)
    const fields = { xmlFile: changed(BASE), md5: md5(BASE) }
    const body = new URLSearchParams(fields)

    const posted = await service.fetch('/api/admin/config.xml', { method: 'POST', body })
    const xml = `    ${pipelineIn(BASE, 'make')}`.replace('command="seven"', 'command="also-mine"')
    const edited = await edit(service, { entity: 'pipeline/make', xml })

    expect([posted.status, edited.status]).toEqual([200, 303])
    expect(await currentOf(service)).toBe(
      changed(THEIRS).replace('command="seven"', 'command="also-mine"'),
    )
  })

  it('is merged where only the revisions on the way tell that it is the same pipeline', async () => {
    const turned = OTHERS.reduce(
      (text, task) => {
        return text.replace(`<exec command="${task}" />`, `<ant target="${task}" />`)
      },
      renamed(BASE, 'build', 'none'),
    )
    const service = await serviceAfter(BASE, renamed(BASE, 'build', 'none'), turned)

    const response = await putUpon(service, BASE, changed(BASE))

    expect(response.status).toBe(200)
    expect(await currentOf(service)).toBe(changed(turned))
  })

  it('is merged in a proposal, with the new name of what it refers to', async () => {
    const service = await serviceAfter(BASE)
    const content = changed(BASE).replace(
      '<git url="https://example.org/sell" />',
      '<pipeline pipelineName="make" stageName="build" />',
    )
    const asked = { title: 'Mine', document: content, base: md5(BASE) }
    const made = await service.fetch('/api/proposals', {
      method: 'POST',
      body: JSON.stringify(asked),
    })
    await save(service, THEIRS)

    const merged = await service.fetch('/api/proposals/1/merge', { method: 'POST', body: '{}' })

    expect([made.status, merged.status]).toEqual([201, 200])
    expect(await currentOf(service)).toBe(renamed(content, 'build'))
  })

  it('is stale by the door of its entity, which has another name now', async () => {
    const service = await serviceAfter(BASE)
    const path = '/api/config/entities/pipeline/make'
    const etag = (await service.fetch(path)).headers.get('etag') ?? ''
    await save(service, THEIRS)
    const init = {
      method: 'PUT',
      headers: { 'if-match': etag },
      body: pipelineIn(changed(BASE), 'make'),
    }

    const response = await service.fetch(path, init)

    expect(response.status).toBe(412)
    expect(await response.text()).toContain('has no pipeline make')
    expect(await currentOf(service)).toBe(THEIRS)
  })
})

describe('a conflict in a pipeline that others have renamed', () => {
  it('is of the part alone, and its choice is saved under the new name', async () => {
    const theirs = THEIRS.replace('command="eight"', 'command="theirs"')
    const service = await serviceAfter(BASE, theirs)
    const xml = `    ${pipelineIn(changed(BASE), 'make')}`

    const conflict = await edit(service, { entity: 'pipeline/make', xml })
    const html = await conflict.text()
    const fields = { entity: 'pipeline/make', xml, against: md5(theirs) }
    const chosen = await edit(service, { ...fields, 'choice-0': 'ours' })

    expect(conflict.status).toBe(409)
    expect(html.match(/<legend>/g)).toHaveLength(1)
    expect(html).toMatch(/<legend>pipeline build ›/)
    expect(chosen.status).toBe(303)
    expect(await currentOf(service)).toBe(theirs.replace('command="theirs"', 'command="mine"'))
  })

  it('is its name where both have given it another one', async () => {
    const service = await serviceAfter(BASE, THEIRS)

    const response = await putUpon(service, BASE, renamed(BASE, 'compile', 'eight'))

    expect(response.status).toBe(412)
    expect(await response.text()).toMatch(/name=.{1,2}compile[^]*name=.{1,2}build/)
    expect(await currentOf(service)).toBe(THEIRS)
  })
})

describe('what refers to a renamed pipeline', () => {
  it('has its new name where the other side has added it or put it elsewhere', async () => {
    const more = '    <environment name="spare">\n      <pipelines />\n    </environment>\n'
    const base = BASE.replace('  </environments>', `${more}  </environments>`)
    const member = '<pipeline name="make" />'
    const moved = base
      .replace(`<pipelines>\n        ${member}\n      </pipelines>`, '<pipelines />')
      .replace(
        'name="spare">\n      <pipelines />',
        `name="spare">\n      <pipelines>\n        ${member}\n      </pipelines>`,
      )
      .replace(
        '<git url="https://example.org/sell" />',
        '<pipeline pipelineName="Make" stageName="build" />',
      )
    const service = await serviceAfter(base, moved)

    const response = await putUpon(service, base, renamed(base, 'build'))

    expect(response.status).toBe(200)
    expect(await currentOf(service)).toBe(
      renamed(moved, 'build').replace('pipelineName="Make"', 'pipelineName="build"'),
    )
  })

  it('is refused where the pipeline is gone for the other side', async () => {
    const service = await serviceAfter(
      BASE,
      document({ members: ['sell'] })
        .replace(pipelineIn(BASE, 'make'), '')
        .replace(
          '<pipeline pipelineName="make" stageName="build" />',
          '<git url="https://example.org/ship" />',
        ),
    )
    const before = await currentOf(service)

    const response = await putUpon(service, BASE, renamed(BASE, 'build'))

    expect(response.status).toBe(412)
    expect(await currentOf(service)).toBe(before)
  })
})

function oneRepository(): string {
  return 'https://example.org/all'
}

/** Pipelines of one form, as a team makes them by copying one, in the order of their names. */
function ofOneForm(
  pipelines: Readonly<Record<string, { readonly isLocked?: true; readonly job?: string }>>,
  repositoryOf = (name: string) => `https://example.org/${name}`,
): string {
  return aConfiguration({
    pipelines: Object.entries(pipelines).map(([name, { isLocked, job = name }]) => ({
      name,
      attributes: { isLocked },
      materials: [git(repositoryOf(name))],
      stages: ['build', 'test', 'pack'].map((stage) => ({
        name: stage,
        jobs: [{ name: job, tasks: [exec('make', stage), exec('./run', `${stage}-${name}`)] }],
      })),
    })),
  })
}

describe('a change of a pipeline in whose place others have put another of the same form', () => {
  it.each([
    ['of a repository of its own', undefined],
    ['of the one repository', oneRepository],
  ])('is refused with both sides where each is %s', async (_, repositoryOf) => {
    const base = ofOneForm({ api: { job: 'j' }, web: { job: 'j' } }, repositoryOf)
    const theirs = ofOneForm({ shop: { job: 'j' }, web: { job: 'j' } }, repositoryOf)
    const service = await serviceAfter(base, theirs)

    const mine = ofOneForm({ api: { job: 'j', isLocked: true }, web: { job: 'j' } }, repositoryOf)
    const response = await putUpon(service, base, mine)

    expect(response.status).toBe(412)
    expect(await response.text()).toContain('theirs')
    expect(await currentOf(service)).toBe(theirs)
  })

  it('is followed where it is the pipeline itself, by the lines that no other has', async () => {
    const base = ofOneForm({ api: {}, web: {} }, oneRepository)
    const theirs = base
      .replace('<pipeline name="api"', '<pipeline name="shop"')
      .replace('<arg>test-api</arg>', '<arg>all</arg>')
    const service = await serviceAfter(base, theirs)

    const mine = base.replace('<arg>pack-api</arg>', '<arg>mine</arg>')
    const response = await putUpon(service, base, mine)

    expect(response.status).toBe(200)
    expect(await currentOf(service)).toBe(theirs.replace('<arg>pack-api</arg>', '<arg>mine</arg>'))
  })

  it('is refused for a stage as for a pipeline', async () => {
    const base = ofOneForm({ api: {}, web: {} })
    const stage = /<stage name="test">[^]*?<\/stage>/
    const theirs = base.replace(stage, (found) =>
      found.replace('name="test"', 'name="prove"').replaceAll(/<arg>test/g, '<arg>prove'),
    )
    const service = await serviceAfter(base, theirs)

    const mine = base.replace('<stage name="test">', '<stage name="test" cleanWorkingDir="true">')
    const response = await putUpon(service, base, mine)

    expect(response.status).toBe(412)
    expect(await currentOf(service)).toBe(theirs)
  })
})
