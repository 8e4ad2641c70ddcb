import { describe, expect, it } from 'vitest'
import { element } from '../../support/documents/a-configuration.ts'
import { BuildScene, GUARDED, jsonOf, SECURED } from '../../support/builds/build-service.ts'
import { pageOf, sendForm } from '../../support/pages/page-forms.ts'
import { AuditBody } from '../../../src/wire/service-bodies.ts'

type Fields = [name: string, value: string][]

/** The form of the selected pipelines. */
function selecting(action: string, names: readonly string[], more: Fields = []): Fields {
  return [
    ['selected', '1'],
    ['action', action],
    ...names.map((name): [string, string] => ['pipeline', name]),
    ...more,
  ]
}

function followed(scene: BuildScene, response: Response): Promise<string> {
  return pageOf(scene.service, response.headers.get('location') ?? '')
}

/** A pipeline that starts when somebody asks for it. */
const ASKED = { stages: [{ approval: element('approval', { type: 'manual' }) }] }
const VARIABLES = { variables: { REGION: 'eu', LEVEL: 'info' } }

describe('the selected pipelines', () => {
  it('are paused with a reason, triggered and unpaused together', async () => {
    const scene = await BuildScene.open({
      pipelines: ['a', 'b', 'c'].map((name) => ({ name, ...ASKED })),
    })
    const cause: Fields = [['pauseCause', 'freeze']]

    const paused = await sendForm(
      scene.service,
      '/pipelines?q=name:a',
      selecting('pause', ['a', 'b'], cause),
    )
    const list = await pageOf(scene.service, '/pipelines?status=paused')
    const unpaused = await sendForm(
      scene.service,
      '/pipelines',
      selecting('unpause', ['a', 'b', 'c']),
    )
    const triggered = await sendForm(scene.service, '/pipelines', selecting('trigger', ['a', 'c']))

    expect(paused.headers.get('location')).toContain('/pipelines?q=name%3Aa&flash=')
    expect(await followed(scene, paused)).toContain('Paused 2 pipelines.')
    expect(list.match(/by admin: freeze/g)).toHaveLength(2)
    expect(await followed(scene, unpaused)).toContain('Unpaused 2 pipelines, 1 unchanged.')
    expect(await followed(scene, triggered)).toContain('Triggered 2 pipelines.')
    expect(await pageOf(scene.service, '/pipelines')).toContain('2 waiting for an agent')
    const { entries } = AuditBody.parse(await jsonOf(await scene.get('/api/audit?limit=2')))
    expect(entries.map(({ action, target }) => [action, target])).toEqual([
      ['schedule-pipeline', '/api/pipelines/c/schedule'],
      ['schedule-pipeline', '/api/pipelines/a/schedule'],
    ])
  })

  it('are all that the filter leaves, on every page, as after a start with all of them paused', async () => {
    const pipelines = Array.from({ length: 60 }, (_, n) => ({ name: `web-${n}` }))
    const scene = await BuildScene.open({ pipelines: [...pipelines, { name: 'kept' }] })
    const restarted = await scene.restart(['--start-paused'])
    expect(await pageOf(restarted.service, '/pipelines')).toContain('61 paused')
    expect(await pageOf(restarted.service, '/pipelines?q=kept')).toContain(
      'Paused</span> at start-up',
    )

    const path = '/pipelines?q=name:web&status=paused'
    const done = await sendForm(restarted.service, path, selecting('unpause', [], [['all', '1']]))

    expect(await followed(restarted, done)).toContain('Unpaused 60 pipelines.')
    expect(await pageOf(restarted.service, '/pipelines')).toContain('1 paused')
  })

  it('that cannot be acted on are named with the reason, and the others are done', async () => {
    const locking = { attributes: { isLocked: true } }
    const scene = await BuildScene.open({ pipelines: [{ name: 'a', ...locking }, { name: 'b' }] })
    await scene.schedule('a')

    const done = await sendForm(
      scene.service,
      '/pipelines',
      selecting('trigger', ['a', 'b', 'gone']),
    )
    const page = await done.text()

    expect(done.status).toBe(409)
    expect(page).toContain('Triggered b.')
    expect(page).toContain('Not done for 2 pipelines')
    expect(page).toContain('The pipeline a is locked by its run 1.')
    expect(page).toContain('There is no pipeline gone.')
    const none = await sendForm(scene.service, '/pipelines', selecting('pause', []))
    expect([none.status, await none.text()]).toEqual([
      409,
      expect.stringContaining('No pipelines selected.'),
    ])
  })

  it('are those that the caller may operate', async () => {
    const scene = await BuildScene.open({
      server: SECURED,
      groups: [
        { group: 'guarded', authorization: GUARDED, pipelines: [{ name: 'a' }] },
        { group: 'open', pipelines: [{ name: 'b' }] },
      ],
    })

    const refused = await sendForm(
      scene.service,
      '/pipelines',
      selecting('pause', ['a'], [['all', '1']]),
      'vera',
    )

    expect(await refused.text()).toMatch(/Paused b\..*Not done for 1 pipeline: /s)
    expect(await pageOf(scene.service, '/pipelines?status=paused')).not.toContain('>a</a>')
    const vera = await pageOf(scene.service, '/pipelines', 'vera')
    expect(vera).toContain('aria-label="Select b"')
    expect(vera).not.toContain('aria-label="Select a"')
  })
})

describe('the form of a run with options', () => {
  it('starts a run with revisions and variables of its own, and shows them', async () => {
    const scene = await BuildScene.open({ pipelines: [{ name: 'app', ...VARIABLES }] })
    const first = await scene.schedule().then(() => pageOf(scene.service, '/pipelines/app/trigger'))
    const [, field = '', revision = ''] =
      /name="(materials\[\w+\])".*?<option value="(\w{40})">/s.exec(first) ?? []

    const done = await sendForm(scene.service, '/pipelines/app/trigger', {
      [field]: revision,
      'variables[REGION]': 'us',
      'variables[LEVEL]': 'info',
    })

    expect(first).toMatch(/name="variables\[REGION\]" value="eu"/)
    const page = await followed(scene, done)
    expect(page).toContain('Run 2 of app started.')
    expect(page).toContain('as requested')
    expect(page).toMatch(/<code>REGION<\/code> <span class="muted">is<\/span> <code>us<\/code>/)
    expect(page).not.toContain('<code>LEVEL</code>')
  })

  it('keeps what was typed when it is refused, but no secret', async () => {
    const secret = element('variable', { name: 'KEY', secure: 'true' }, [
      element('value', {}, ['hunter2']),
    ])
    const region = element('variable', { name: 'REGION' }, [element('value', {}, ['eu'])])
    const scene = await BuildScene.open({
      pipelines: [{ name: 'app', before: [element('environmentvariables', {}, [region, secret])] }],
    })

    const refused = await sendForm(scene.service, '/pipelines/app/trigger', {
      configuration: 'r99',
      'variables[REGION]': 'us',
      'variables[KEY]': 'hunter3',
    })
    const page = await refused.text()

    expect(refused.status).toBe(404)
    expect(page).toContain('Not done: ')
    expect(page).toMatch(/name="variables\[REGION\]" value="us"/)
    expect(page).toMatch(/name="configuration" value="r99"/)
    expect(page).toMatch(/type="password" name="variables\[KEY\]" value=""/)
    expect(page).not.toContain('hunter')
  })

  it('is for those who may operate the pipeline', async () => {
    const scene = await BuildScene.open({
      server: SECURED,
      groups: [{ group: 'guarded', authorization: GUARDED, pipelines: [{ name: 'app' }] }],
    })

    const asked = await Promise.all(
      ['olga', 'vera', 'pete'].map(async (user) => {
        const got = await scene.get('/pipelines/app/trigger', user)
        const sent = await sendForm(scene.service, '/pipelines/app/trigger', {}, user)
        return [got.status, sent.status]
      }),
    )

    expect(asked).toEqual([
      [200, 303],
      [403, 403],
      [403, 403],
    ])
    expect(await pageOf(scene.service, '/pipelines/app/trigger', 'olga')).not.toContain(
      'name="configuration"',
    )
    expect((await scene.get('/pipelines/none/trigger')).status).toBe(404)
  })
})
