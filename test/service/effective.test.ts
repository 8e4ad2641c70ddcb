import { describe, expect, it } from 'vitest'
import { shared } from '../support/programs/at-end.ts'
import { delegate, loginOf } from '../support/service/delegated-service.ts'
import { DELEGATED } from '../support/service/delegated-changes.ts'
import { save } from '../support/service/saving.ts'
import { openService } from '../support/service/service.ts'

/** m2 uses a template with a param, and has a secure variable. */
const DOCUMENT = DELEGATED.replace('name="s2" template="t-seen"', 'name="s2" template="tpl"')
  .replace(
    '<pipeline name="m2" template="t-seen">',
    `<pipeline name="m2" template="t-seen">
      <params>
        <param name="goal">all</param>
      </params>
      <environmentvariables>
        <variable name="KEY" secure="true">
          <encryptedValue>AES:dGhpcyBpcyBhIG5vbmNl:b3duIGNpcGhlcnRleHQ=</encryptedValue>
        </variable>
      </environmentvariables>`,
  )
  .replace(
    /(<pipeline name="t-seen">[^]*?)<exec command="make" \/>/,
    '$1<exec command="make" args="#{goal} #{goal}" />',
  )
/** Only the template changes. */
const LATER = DOCUMENT.replace('args="#{goal} #{goal}"', 'args="-j #{goal}"')

function lineOf(text: string): number {
  return DOCUMENT.slice(0, DOCUMENT.indexOf(text)).split('\n').length
}

describe('the effective form of a pipeline', () => {
  const service = shared(async () => {
    const opened = await delegate(await openService())
    await save(opened, DOCUMENT, loginOf('root'))
    await save(opened, LATER, loginOf('root'))
    return opened
  })

  async function read(path: string, as = loginOf('owner')) {
    const answer = await service().fetch(`/api/config/${path}`, { as })
    return { status: answer.status, text: await answer.text() }
  }

  it('has template and params filled in, and says where each value comes from', async () => {
    const { status, text } = await read('entities/pipeline/m2?effective=1&at=r3')

    expect(status).toBe(200)
    const { values, ...pipeline } = JSON.parse(text)
    const valueAt = (path: string) => values.find((each: { path: string }) => each.path === path)
    expect(pipeline).toEqual({ pipeline: 'm2', group: 'mine', template: 't-seen' })
    expect(valueAt('stages/build/jobs/unit/tasks/1/args')).toEqual({
      path: 'stages/build/jobs/unit/tasks/1/args',
      value: 'all all',
      written: '#{goal} #{goal}',
      from: { entity: 'template/t-seen', line: lineOf('args="#{goal}') },
      params: [{ name: 'goal', entity: 'pipeline/m2', line: lineOf('<param name="goal"') }],
    })
    expect(valueAt('materials/1/url')).toEqual({
      path: 'materials/1/url',
      value: 'https://example.org/m2.git',
      from: { entity: 'pipeline/m2', line: lineOf('m2.git') },
    })
    expect(text).not.toContain('AES:')
    expect(text).toContain('•••• hidden')
  })

  it('differs where only the template has changed', async () => {
    const written = await read('diff/r3/r4?entity=pipeline/m2')
    const effective = await read('diff/r3/r4?entity=pipeline/m2&effective=1')

    expect(written).toEqual({ status: 200, text: '' })
    expect(effective.text.split('\n').filter((line) => /^[-+]/.test(line))).toEqual([
      '-stages/build/jobs/unit/tasks/1/args: "all all"',
      '+stages/build/jobs/unit/tasks/1/args: "-j all"',
    ])
  })

  it('is there for pipelines alone, and for those who administer them', async () => {
    const statuses = [
      await read('entities/template/t-seen?effective=1', loginOf('root')),
      await read('diff/r3/r4?entity=group/mine&effective=1', loginOf('root')),
      await read('entities/pipeline/never?effective=1', loginOf('root')),
      await read('entities/pipeline/h1?effective=1'),
      await read('diff/r3/r4?entity=pipeline/h1&effective=1'),
    ].map(({ status }) => status)

    expect(statuses).toEqual([400, 400, 404, 403, 403])
  })
})
