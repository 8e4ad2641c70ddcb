// @module-tag long
// @module-tag chromium

import { describe, expect, it } from 'vitest'
import { BuildScene } from '../../../support/builds/build-service.ts'
import { useBrowser } from '../../../support/pages/browser.ts'
import { LONG, SLOW, walkOf } from '../../../support/pages/walk.ts'

const STAGE = 'build_and_copy_to_the_web_server_of_the_project'
const RUN = `/stages/${LONG}/${STAGE}/1/1`
const ENTITY = `/config/entity/pipeline/${LONG}`

const LONG_NAMES = {
  history: '/config',
  'history-keys': '/config#keys',
  'history-filtered': '/config?q=parameter',
  'history-none': '/config?q=nowhere',
  compare: '/config/compare/r2/r4',
  'compare-unified': '/config/compare/r2/r4?view=unified&ctx=10',
  'compare-same': '/config/compare/r2/r2',
  'compare-first': '/config/compare/r1/r2',
  first: '/config/r1',
  snapshot: '/config/current',
  blame: '/config/current?blame=1',
  'snapshot-found': '/config/r4?find=stage&line=1',
  'snapshot-none': '/config/r4?find=nothing-like-this',
  entity: ENTITY,
  'entity-stage': `/config/entity/stage/${LONG}%2F${STAGE}`,
  'entity-group': `/config/entity/group/${LONG}`,
  'entity-compare': `${ENTITY}/compare/r2/r4`,
  'restore-entity': `${ENTITY}/restore/r2`,
  restore: '/config/r2/restore',
  'restore-unified': '/config/r2/restore?view=unified',
  'restore-same': '/config/r4/restore',
  undo: '/config/r3/undo',
  edit: '/config/edit',
  'edit-entity': `/config/edit?entity=pipeline%2F${LONG}`,
  'live-file-valid': '/config/live',
  pipelines: '/pipelines',
  'pipelines-none': '/pipelines?q=nothing',
  pipeline: `/pipelines/${LONG}`,
  stage: `/stages/${LONG}/${STAGE}`,
  'stage-run': RUN,
  'stage-cancel': `/stages/${LONG}/${STAGE}?ask=cancel`,
  'job-scheduled': `${RUN}/unit`,
  'new-pipeline': '/config/new-pipeline',
  'agents-none': '/agents',
  audit: '/audit',
  'audit-filtered': '/audit?user=admin&outcome=done',
  'audit-none': '/audit?user=nobody',
  search: '/search',
  'search-many': '/search?q=a',
  'search-none': '/search?q=nothing-like-this',
  problems: '/problems',
  servers: '/servers',
  tokens: '/tokens',
  account: '/account',
  users: '/users',
  user: '/users/admin',
  'users-none': '/users?q=nobody',
  permissions: '/permissions',
  'permissions-none': '/permissions?q=nobody-like-this',
  'permissions-group': `/permissions?group=${LONG}`,
  'permissions-changes': '/permissions?from=r2&revision=r4',
  api: '/api',
}

function withSize(size: string) {
  const pipeline = {
    name: LONG,
    params: { [`A_PARAMETER_WITH_A_LONG_NAME_${LONG}`]: `${size}-${LONG}` },
    stages: [{ name: STAGE, jobs: [{ name: 'unit' }] }],
  }
  return { groups: [{ group: LONG, pipelines: [pipeline] }] }
}

/** Three revisions of one pipeline with long names, and a run of it. */
async function sceneWithLongNames(): Promise<BuildScene> {
  const scene = await BuildScene.open(withSize('1'))
  await scene.configure(withSize('2'))
  await scene.configure(withSize('3'))
  await scene.schedule(LONG)
  return scene
}

const chromium = useBrowser()

describe('pages with long names fit and are accessible', SLOW, () => {
  it('with long names, in lists and forms, and after an error', async () => {
    const { service } = await sceneWithLongNames()
    const walk = await walkOf(chromium.browser, service)

    await walk.through(LONG_NAMES)
    await walk.through({ missing: '/config/r99', nowhere: '/nothing', gone: '/stages/a/b' }, 404)
    await walk.through(
      { 'bad-request': '/config?since=never', 'bad-time': '/config/at/never' },
      400,
    )
    await walk.page.goto('/config/new-pipeline')
    await walk.page.getByLabel('Name', { exact: true }).fill('a b')
    await walk.page.getByLabel('URL').fill('https://example.org/a.git')
    await walk.send('Preview')
    await walk.at('new-pipeline-refused')
    await walk.page.getByLabel('Name', { exact: true }).fill('another')
    await walk.page.getByLabel('Command').fill('make')
    await walk.send('Preview')
    await walk.at('new-pipeline-preview')
    await walk.send('Create pipeline')
    await walk.at('new-pipeline-created')

    expect(walk.wrong()).toEqual({})
  })
})
