// @module-tag long
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { element, exec } from '../support/documents/a-configuration.ts'
import { jsonOf } from '../support/builds/build-service.ts'
import { RealBuilds } from '../support/builds/real-builds.ts'
import { until } from '../support/programs/until.ts'

const SLOW = { timeout: 120_000 }
const TIMEOUT_MS = 60_000
const Entries = z.array(z.object({ name: z.string() }))

function resultOf({ scene }: RealBuilds, stage: string) {
  return async () => {
    const found = await scene.get(`/api/stages/app/${stage}/instance/1/1`)
    return found.ok ? (await scene.stage('1/1', `app/${stage}`)).result : 'Unknown'
  }
}

async function namesIn({ scene }: RealBuilds, path: string): Promise<readonly string[]> {
  const listed = Entries.parse(await jsonOf(await scene.get(`/files/app/1/build/1/unit${path}`)))
  return listed.map(({ name }) => name)
}

function fetchOf(attributes: Readonly<Record<string, string>>) {
  return element('fetchartifact', { stage: 'build', job: 'unit', ...attributes })
}

/** A job that fetches something into a folder, and reads files there. */
function use(name: string, task: Readonly<Record<string, string>>, ...files: string[]) {
  return { name, tasks: [fetchOf({ ...task, dest: 'got' }), exec('cat', ...files)] }
}

describe('what a document says of words and paths', SLOW, () => {
  it('is what a real agent gets', async () => {
    const real = await RealBuilds.open()
    const make = "-c 'mkdir -p d; echo a > d/a.txt; echo t > top'"
    await real.scene.configure({
      schemaVersion: 81,
      pipelines: [
        {
          name: 'app',
          stages: [
            {
              name: 'build',
              jobs: [
                {
                  name: 'unit',
                  tasks: [
                    element('exec', { command: 'sh', args: make }),
                    element('exec', { command: 'printf', args: `<%s> a '' "b c"` }),
                  ],
                  artifacts: [
                    ...['d', './top'].map((src) => element('artifact', { src })),
                    element('artifact', { src: './', dest: './whole/' }),
                  ],
                },
              ],
            },
            {
              name: 'use',
              attributes: { fetchMaterials: 'false', cleanWorkingDir: 'true' },
              jobs: [
                use('own', { pipeline: '', srcfile: './top' }, 'got/top'),
                use('all', { srcdir: './' }, 'got/d/a.txt', 'got/top'),
                use('folder', { pipeline: ' app ', srcdir: 'd/./' }, 'got/d/a.txt'),
                use('nested', { srcdir: './whole/d/' }, 'got/d/a.txt'),
                use('inner', { srcfile: String.raw`d\x\..\a.txt` }, 'got/a.txt'),
              ],
            },
          ],
        },
      ],
    })
    real.agent('one')
    await real.scene.schedule()

    await expect.poll(resultOf(real, 'build'), { timeout: TIMEOUT_MS }).toBe('Passed')
    expect(await real.console()).toContain('<a><><b c>')
    await expect.poll(resultOf(real, 'use'), { timeout: TIMEOUT_MS }).not.toBe('Unknown')
    const { jobs } = await real.scene.stage('1/1', 'app/use')
    expect(jobs.map(({ name, result }) => `${name} ${result}`)).toEqual([
      'own Passed',
      'all Passed',
      'folder Passed',
      'nested Passed',
      'inner Passed',
    ])
  })

  it('keeps every artifact that it can, and names the others', async () => {
    const real = await RealBuilds.open()
    const script = String.raw`mkdir -p o cruise-output && : > 'o/a\b.txt' && : > "$(printf 'o/two\nlines')" && : > "$(printf 'o/bad\377.txt')" && : > cruise-output/console.log && : > z.txt`
    const artifacts = ['cruise-output', 'o', '../x', 'none', 'z.txt']
    await real.scene.configure({
      pipelines: [
        {
          name: 'app',
          stages: [
            {
              jobs: [
                {
                  tasks: [exec('sh', '-c', script)],
                  artifacts: artifacts.map((src) => element('artifact', { src })),
                },
              ],
            },
          ],
        },
      ],
    })
    real.agent('one')
    await real.scene.schedule()

    await until(async () => (await resultOf(real, 'build')()) === 'Failed', TIMEOUT_MS)

    expect(await namesIn(real, '')).toEqual(['cruise-output', 'o', 'z.txt'])
    expect(await namesIn(real, '/o')).toEqual([String.raw`a\b.txt`, 'two\nlines'])
    const console = await real.console()
    expect(console).toMatch(/The artifact o\/bad.\.txt cannot be kept: /)
    expect(console).toContain('The artifact cruise-output/console.log cannot be kept: ')
    expect(console).toContain('The artifact ../x cannot be kept: ')
    expect(console).toContain('There is no artifact none; 3 artifacts are lost, such as ')
  })
})
