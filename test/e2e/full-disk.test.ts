// @module-tag long
import { describe, expect, it } from 'vitest'
import { element, exec } from '../support/documents/a-configuration.ts'
import { jsonOf, messageOf } from '../support/builds/build-service.ts'
import { ProtocolAgent } from '../support/agents/protocol-agent.ts'
import { RealBuilds } from '../support/builds/real-builds.ts'
import { mayMount, SmallDisk } from '../support/disk/small-disk.ts'
import { until } from '../support/programs/until.ts'

const SLOW = { timeout: 120_000 }
const TIMEOUT_MS = 60_000

function jobOf(script: string, more: object = {}) {
  return { name: 'unit', tasks: [exec('sh', '-c', script)], ...more }
}

function stagesOf(job: object) {
  return [{ name: 'build', jobs: [job] }]
}

describe('a server whose disk is full', SLOW, () => {
  it.skipIf(!mayMount())(
    'goes on when the configuration no longer has an agent whose record it cannot remove (needs mount)',
    async () => {
      using disk = new SmallDisk(12)
      const real = await RealBuilds.open({ stateDir: disk.path })
      // The server that made the state may hold its removed drafts, whose room it gives back later.
      await real.killServer()
      await ProtocolAgent.join(real.scene.service, 'a1')
      disk.fill(0)

      await real.scene.configure({})
      await until(() => real.complaints().includes('The record of an agent could not be removed'))

      expect((await real.scene.get('/api/admin/config.xml')).status).toBe(200)
    },
  )

  it.skipIf(!mayMount())(
    'fails the jobs that need it with a message, and goes on (needs mount)',
    async () => {
      using disk = new SmallDisk(12)
      const real = await RealBuilds.open({ stateDir: disk.path })
      const artifacts = [element('artifact', { src: 'big' })]
      const scripts = {
        artifact: stagesOf(jobOf('head -c 20000000 /dev/zero >big', { artifacts })),
        console: stagesOf(jobOf('yes a line of a console | head -c 30000000')),
        small: stagesOf(jobOf('echo small')),
      }
      real.agent('one')
      const build = async (pipeline: keyof typeof scripts) => {
        await real.scene.configure({ pipelines: [{ name: pipeline, stages: scripts[pipeline] }] })
        await real.scene.schedule(pipeline)
        const result = async () => (await real.scene.stage('1/1', `${pipeline}/build`)).result
        await until(async () => (await result()) !== 'Unknown', TIMEOUT_MS)
        const job = `${pipeline}/1/build/1/unit`
        const kept = await jsonOf(await real.scene.get(`/files/${job}`))
        return { result: await result(), console: await real.console(job), kept }
      }

      const artifact = await build('artifact')
      const console = await build('console')
      const small = await build('small')

      expect(artifact.result).toBe('Failed')
      expect(artifact.console).toContain('The disk of the server has no room left')
      expect(artifact.kept).toMatchObject([{ name: 'cruise-output' }])
      expect(console.result).toBe('Failed')
      expect(console.console).toContain('The disk of the server has no room left')
      expect(small.result).toBe('Passed')
      expect(small.console).toContain('small')
      expect(disk.left()).toBeGreaterThan(1_000_000)
    },
  )

  it.skipIf(!mayMount())(
    'refuses what it cannot keep, answers the rest, and finishes its builds once there is room (needs mount)',
    async () => {
      using disk = new SmallDisk(12)
      const real = await RealBuilds.open({ stateDir: disk.path })
      const waits = `echo on its way; while [ ! -e ${real.folder}/go ]; do sleep 0.1; done; echo went on`
      await real.scene.configure({
        pipelines: [
          { name: 'app', stages: [{ jobs: [jobOf(waits)] }] },
          { name: 'other', stages: [{ jobs: [jobOf('true')] }] },
        ],
      })
      real.agent('one')
      await real.scene.schedule()
      await until(async () => (await real.console()).includes('on its way'), TIMEOUT_MS)

      disk.fill(0)
      const schedule = () => real.scene.post('/api/pipelines/other/schedule')
      await until(async () => (await schedule()).status >= 500, TIMEOUT_MS)
      const refused = await schedule()
      const health = await real.scene.get('/health')
      const stage = await real.scene.stage()
      real.proceed()
      const agents = await real.scene.get('/api/agents')
      disk.empty()

      expect([503, 507]).toContain(refused.status)
      expect(await messageOf(refused)).toMatch(/full|room/)
      expect([health.status, agents.status, stage.result]).toEqual([200, 200, 'Unknown'])
      await until(async () => (await real.scene.stage()).result === 'Passed', TIMEOUT_MS)
      expect(await real.console()).toContain('went on')
      expect((await schedule()).status).toBe(202)
    },
  )
})
