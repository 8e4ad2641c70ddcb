import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { save } from '../support/service/saving.ts'
import { loginOf, secure } from '../support/service/secured-service.ts'
import { type Role, securedDocument } from '../support/service/secured-document.ts'
import { type CalledService, openService } from '../support/service/service.ts'
import { WillNotRunEntry } from '../../src/wire/plan-body.ts'

const TASK = '<tasks><task><pluginConfiguration id="curl" version="1" /></task></tasks>'
const DOCUMENT = securedDocument()
  .replace('<server ', '<server purgeStart="5" purgeUpto="10" ')
  .replace(/<job name="([^"]*)">[^]*?<\/job>/, `<job name="$1">\n${TASK}\n</job>`)
async function listFor(service: CalledService, role: Role) {
  const answer = await service.fetch('/api/config/will-not-run', { as: loginOf(role) })
  return z.array(WillNotRunEntry).parse(await answer.json())
}

describe('what will not run here', () => {
  it('is listed with the place of each part, for each caller what he may view', async () => {
    const service = await openService()
    await secure(service)
    const saved = await save(service, DOCUMENT, loginOf('root') ?? '')
    const list = await listFor(service, 'root')
    const lines = DOCUMENT.split('\n')
    const entitiesFor = async (role: Role) =>
      (await listFor(service, role)).map(({ entity }) => entity)

    expect(await saved.text()).toContain('is saved')
    expect(list.map(({ entity, what }) => `${entity}: ${what}`)).toEqual([
      'server: the purging of artifacts on a full disk',
      'pipeline/hello: a task of the plugin curl in defaultStage/defaultJob',
    ])
    for (const { at } of list) {
      expect(lines[at.line - 1]?.slice(at.column - 1)).toMatch(/^<(server|task>)/)
    }
    expect(await entitiesFor('owner')).toEqual(['pipeline/hello'])
    expect(await entitiesFor('viewer')).toEqual(['pipeline/hello'])
    expect(await entitiesFor('stranger')).toEqual([])
  })
})
