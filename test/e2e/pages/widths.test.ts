// @module-tag chromium

import { describe, expect, it } from 'vitest'
import { BuildScene } from '../../support/builds/build-service.ts'
import { troublesOf, useBrowser, visit } from '../../support/pages/browser.ts'

const chromium = useBrowser()

/** A small phone, which is also 400 % zoom, and a laptop. */
const LOOKS = [
  { width: 320, colorScheme: 'light' },
  { width: 1024, colorScheme: 'light' },
] as const
/** Names are as long as those of real servers, without a place to break. */
const LONG = 'GENIVI_Baseline_Continuous_Layer_Integration_of_the_next_release'
const STAGE = 'build_and_copy_to_the_web_server_of_the_project'

const RUN = `/stages/${LONG}/${STAGE}/1/1`
const ENTITY = `/config/entity/pipeline/${LONG}`

const NOWHERE = '/config/r99'

const PAGES = [
  '/config',
  '/config?q=timeout',
  '/config/compare/r2/r4',
  '/config/compare/r2/r4?view=unified&ctx=10',
  '/config/current',
  '/config/current?blame=1',
  '/config/r4?find=stage&line=1',
  ENTITY,
  `/config/entity/stage/${LONG}%2F${STAGE}`,
  `/config/entity/group/${LONG}`,
  `${ENTITY}/compare/r2/r4`,
  `${ENTITY}/restore/r2`,
  '/config/r2/restore',
  '/config/r2/restore?view=unified',
  '/config/r4/restore',
  '/config/r3/undo',
  '/config/edit',
  `/config/edit?entity=pipeline%2F${LONG}`,
  '/pipelines',
  `/pipelines/${LONG}`,
  `/stages/${LONG}/${STAGE}`,
  RUN,
  `${RUN}/unit`,
  '/agents',
  '/audit',
  '/api',
  '/problems',
  NOWHERE,
]

/** Three revisions of one pipeline with long names, and a run of it. */
async function sceneWithLongNames(): Promise<BuildScene> {
  const pipelineWith = (size: string) => ({
    name: LONG,
    params: { [`A_PARAMETER_WITH_A_LONG_NAME_${LONG}`]: `${size}-${LONG}` },
    stages: [{ name: STAGE, jobs: [{ name: 'unit' }] }],
  })
  const withSize = (size: string) => ({
    groups: [{ group: LONG, pipelines: [pipelineWith(size)] }],
  })
  const scene = await BuildScene.open(withSize('1'))
  await scene.configure(withSize('2'))
  await scene.configure(withSize('3'))
  await scene.schedule(LONG)
  return scene
}

describe('every page', () => {
  it.each(LOOKS)(
    'fits, and has nothing against accessibility, at $width pixels ($colorScheme)',
    { timeout: 240_000 },
    async ({ width, colorScheme }) => {
      const { service } = await sceneWithLongNames()
      const page = await visit(chromium.browser, service.url, { colorScheme })
      await page.setViewportSize({ width, height: 844 })

      const wrong: Record<string, string[]> = {}
      for (const path of PAGES) {
        const answer = await page.goto(path)
        const status = answer?.status() === (path === NOWHERE ? 404 : 200) ? [] : ['status']
        const found = [...status, ...(await troublesOf(page))]
        if (found.length > 0) wrong[path] = found
      }

      expect(wrong).toEqual({})
    },
  )
})
