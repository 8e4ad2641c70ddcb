import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { AgentDirectory } from '../../../src/agents/agent-directory.ts'
import { hashSecret } from '../../../src/agents/secrets.ts'
import { appendConsole } from '../../../src/builds/dispatch/job-calls.ts'
import { RunningJobs } from '../../../src/builds/dispatch/running-jobs.ts'
import { openSqliteState } from '../../../src/state/open-sqlite.ts'
import { anAgent, aPipeline, BuildsWorld } from '../../support/builds/builds.ts'
import { tempDir } from '../../support/disk/temp-folder.ts'

const clock = () => 1_000
const FACTS = {
  hostname: 'box',
  ipAddress: '127.0.0.1',
  sandbox: '/work',
  operatingSystem: 'Linux',
  freeSpace: null,
  version: '1',
}

/** A directory with an approved agent, whose token is `token`. */
async function directoryWith(uuid: string): Promise<AgentDirectory> {
  const store = await openSqliteState(join(tempDir(), 'agents.db'))
  onTestFinished(() => store[Symbol.asyncDispose]())
  const options = { store, clock, uptime: clock, log: () => undefined, timeout: 1_000 }
  const directory = await AgentDirectory.open(options)
  const hashes = { claimHash: hashSecret('claim'), tokenHash: hashSecret('token') }
  const record = { uuid, ...hashes, approved: true, facts: FACTS, lastContact: 0 }
  await directory.register(record, { instance: 'one', at: 0, address: '', stopping: false })
  return directory
}

it('an agent goes on sending before anybody hears that its job is cancelled', async () => {
  await using world = await BuildsWorld.open(aPipeline())
  const { builds } = world
  const running = new RunningJobs({
    root: tempDir(),
    clock,
    uptime: clock,
    onSize: () => undefined,
  })
  const deps = { builds, running, directory: await directoryWith('a1') }
  await world.schedule()
  const job = await builds.assignWork(anAgent('a1'))
  if (job === null) throw new Error('no work')
  running.add(job, { agentUuid: 'a1', instance: 'one' })

  await builds.cancelJob(job.id)

  const call = { uuid: 'a1', token: 'token', jobId: job.id, offset: 0, bytes: Buffer.from('end\n') }
  expect(await appendConsole(deps, call)).toBe(4)
})
